import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, broadcast, commit, crashCases, inTransaction } from '../support/crash-points.ts';
import type { KillPoint } from '../support/crash-service.ts';
import { openStage } from '../support/crash-stage.ts';

const TAKE_NONCES = 'UPDATE relayers SET next_nonce';
/** The transaction begins with the move: no other does. */
const DECLINING = '^WITH locked AS';
const TAKE_LEASES = 'SET lease_holder = \\$2';
const NOTE_SENT = `SET status = 'sent', sent_at`;

const FROM_THE_CALL_ON = crashCases<KillPoint>(
  {
    'deciding, before COMMIT': commit('before', 'INSERT INTO transfers'),
    'broadcasting, before the node gets the bytes': broadcast('before'),
    'broadcasting, after the node got the bytes, in full run': broadcast('after', 5),
    'following, before COMMIT': commit('before', 'INSERT INTO postings'),
    'following, after COMMIT': commit('after', 'INSERT INTO postings'),
  },
  {
    'declining, before COMMIT': commit('before', DECLINING),
    'declining, after COMMIT, before the answer': commit('after', DECLINING),
    // As before COMMIT: nothing was decided.
    'deciding, before the idempotency key is taken': inTransaction('before', 'INSERT INTO idempotency_keys'),
    'deciding, after the idempotency key is taken': inTransaction('after', 'INSERT INTO idempotency_keys'),
    'deciding, before nonces are taken': inTransaction('before', TAKE_NONCES),
    'deciding, after nonces are taken': inTransaction('after', TAKE_NONCES),
    'deciding, after quarters are set aside': inTransaction('after', 'UPDATE accounts SET held'),
    'deciding, after the transfers are stored': inTransaction('after', 'INSERT INTO transfers'),
    'deciding, after the transactions are stored': inTransaction('after', 'INSERT INTO cargo'),
    // As in full run, with less on its way; and the node has what is not noted.
    'broadcasting, after the node got the bytes': broadcast('after'),
    'noting what was sent, before COMMIT': commit('before', NOTE_SENT),
    'noting what was sent, after COMMIT': commit('after', NOTE_SENT),
    // As before COMMIT: the ledger has not moved.
    'following, after the cursor is moved': inTransaction('after', 'INSERT INTO blocks'),
    'following, after the postings': inTransaction('after', 'INSERT INTO postings'),
    'following, after the transfers are completed': inTransaction('after', 'UPDATE transfers SET status = locked'),
    'following, before the accounts change': inTransaction('before', 'UPDATE accounts SET posted'),
    // The leases of whoever dies while it holds them are as these; before they are taken a start has changed nothing.
    'renewing leases, after': alone('after', 'UPDATE relayers SET lease_expires_at = clock_timestamp'),
    'taking leases, before': alone('before', TAKE_LEASES),
    'taking leases, after': alone('after', TAKE_LEASES),
  },
);

test('kill -9 at each step from the call to the ledger, and at a stop: the next start heals, accepted transfers are paid exactly once', async (t) => {
  const stage = await openStage(t);
  for (const [name, point] of Object.entries(FROM_THE_CALL_ON)) {
    await t.test(name, () => stage.diesAndHeals(point, { atStart: point.match === TAKE_LEASES }));
  }

  await t.test('deciding, after COMMIT, before the answer: who asks again is told what was decided', async () => {
    const before = stage.client.replays;
    await stage.diesAndHeals(commit('after', 'INSERT INTO transfers'), {
      provoke: (service) => stage.client.one(service.origin, 'pay'),
    });
    assert.equal(stage.client.replays, before + 1);
  });

  await t.test('stopping in order, before the leases are given back', () =>
    stage.diesAndHeals(alone('before', 'SET lease_holder = NULL'), {
      provoke: async (service, dead) => {
        await stage.client.one(service.origin, 'pay');
        await Promise.all([stage.client.run([service.origin], dead, 2), service.stop()]);
      },
    }),
  );
});
