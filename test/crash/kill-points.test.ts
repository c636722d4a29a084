import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, broadcast, commit, crashCases, inTransaction } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { openStage } from '../kit/service/crash-stage.ts';

const TAKE_NONCES = 'UPDATE relayers SET next_nonce';
/** Only this transaction begins with the transition. */
const DECLINING = '^SELECT FROM ONLY requests WHERE id = ANY';
const TAKE_LEASES = 'SET lease_holder = \\$2';
const NOTE_SENT = 'INSERT INTO broadcasts';

const FROM_THE_CALL_ON = crashCases<KillPoint>(
  {
    'accepting, before COMMIT': commit('before', 'INSERT INTO transfers'),
    'broadcasting, before the node gets the bytes': broadcast('before'),
    'broadcasting under load, after the node got the bytes': broadcast('after', 5),
    'following, before COMMIT': commit('before', 'INSERT INTO postings'),
    'following, after COMMIT': commit('after', 'INSERT INTO postings'),
  },
  {
    'declining, before COMMIT': commit('before', DECLINING),
    'declining, after COMMIT, before the answer': commit('after', DECLINING),
    // The same state as before COMMIT: nothing was accepted.
    'accepting, before the idempotency key is taken': inTransaction('before', 'INSERT INTO idempotency_keys'),
    'accepting, after the idempotency key is taken': inTransaction('after', 'INSERT INTO idempotency_keys'),
    'accepting, before nonces are taken': inTransaction('before', TAKE_NONCES),
    'accepting, after nonces are taken': inTransaction('after', TAKE_NONCES),
    'accepting, after quarters are held': inTransaction('after', 'UPDATE accounts SET held'),
    'accepting, after the transfers are stored': inTransaction('after', 'INSERT INTO transfers'),
    'accepting, after the transactions are stored': inTransaction('after', 'INSERT INTO transactions'),
    // The same as under load, with less on its way; and the node has transactions that are not recorded as sent.
    'broadcasting, after the node got the bytes': broadcast('after'),
    'before transactions are recorded as sent': alone('before', NOTE_SENT),
    'after transactions are recorded as sent': alone('after', NOTE_SENT),
    // The same state as before COMMIT: the ledger has not changed.
    'following, after the cursor is moved': inTransaction('after', 'INSERT INTO blocks'),
    'following, after the postings': inTransaction('after', 'INSERT INTO postings'),
    'following, after the transfers are completed': inTransaction('after', 'DELETE FROM open_transfers'),
    'following, after used nonces are recorded': inTransaction('after', 'INSERT INTO consumed_nonces'),
    'following, before the accounts change': inTransaction('before', 'UPDATE accounts SET posted'),
    // The leases of a process that dies while holding them look like these; before they are taken a start has changed
    // nothing.
    'after leases are renewed': alone('after', 'UPDATE relayers SET lease_expires_at = clock_timestamp'),
    'before leases are taken': alone('before', TAKE_LEASES),
    'after leases are taken': alone('after', TAKE_LEASES),
  },
);

test('kill -9 at each step from the call to the ledger, and at a stop: the next start recovers, accepted transfers are paid exactly once', async (t) => {
  const stage = await openStage(t);
  for (const [name, point] of Object.entries(FROM_THE_CALL_ON)) {
    await t.test(name, () => stage.diesAndHeals(point, { atStart: point.match === TAKE_LEASES }));
  }

  await t.test('accepting, after COMMIT, before the answer: a repeated call gets the stored answer', async () => {
    const before = stage.client.replays;
    await stage.diesAndHeals(commit('after', 'INSERT INTO transfers'), {
      provoke: (service) => stage.client.one(service.origin, 'pay'),
    });
    assert.equal(stage.client.replays, before + 1);
  });

  await t.test('stopping cleanly, before the leases are released', () =>
    stage.diesAndHeals(alone('before', 'SET lease_holder = NULL'), {
      provoke: async (service, dead) => {
        await stage.client.one(service.origin, 'pay');
        await Promise.all([stage.client.run([service.origin], dead, 2), service.stop()]);
      },
    }),
  );
});
