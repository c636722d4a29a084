import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killPoints } from '../support/crash-points.ts';
import type { KillPoint } from '../support/crash-service.ts';
import { openStage } from '../support/crash-stage.ts';
import { until } from '../support/until.ts';

const inTransaction = (when: KillPoint['when'], match: string, nth = 1): KillPoint => ({
  at: 'statement in a transaction',
  when,
  match,
  nth,
});
const alone = (when: KillPoint['when'], match: string): KillPoint => ({ at: 'statement alone', when, match });
const commit = (when: KillPoint['when'], match: string): KillPoint => ({ at: 'commit', when, match });
const broadcast = (when: KillPoint['when'], nth: number): KillPoint => ({
  at: 'call of the chain',
  when,
  match: '"eth_sendRawTransaction"',
  nth,
});

const TAKE_NONCES = 'UPDATE relayers SET next_nonce';
/** The transaction begins with the move: no other does. */
const DECLINING = '^WITH locked AS';
const TAKE_LEASES = 'SET lease_holder = \\$2';
const NOTE_SENT = `SET status = 'sent', sent_at`;

const FROM_THE_CALL_ON = killPoints<KillPoint>(
  {
    'deciding, before COMMIT': commit('before', 'INSERT INTO transfers'),
    'declining, before COMMIT': commit('before', DECLINING),
    'declining, after COMMIT, before the answer': commit('after', DECLINING),
    'broadcasting, before the node gets the bytes': broadcast('before', 1),
    'broadcasting, after the node got the bytes, in full run': broadcast('after', 5),
    'noting what was sent, after COMMIT': commit('after', NOTE_SENT),
    'following, before COMMIT': commit('before', 'INSERT INTO postings'),
    'following, after COMMIT': commit('after', 'INSERT INTO postings'),
  },
  {
    // As before COMMIT: nothing was decided.
    'deciding, before the idempotency key is taken': inTransaction('before', 'INSERT INTO idempotency_keys'),
    'deciding, after the idempotency key is taken': inTransaction('after', 'INSERT INTO idempotency_keys'),
    'deciding, before nonces are taken': inTransaction('before', TAKE_NONCES),
    'deciding, after nonces are taken': inTransaction('after', TAKE_NONCES),
    'deciding, after quarters are set aside': inTransaction('after', 'UPDATE accounts SET held'),
    'deciding, after the transfers are stored': inTransaction('after', 'INSERT INTO transfers'),
    'deciding, after the transactions are stored': inTransaction('after', 'INSERT INTO cargo'),
    // As in full run, with less on its way; and the node has what is not noted.
    'broadcasting, after the node got the bytes': broadcast('after', 1),
    'noting what was sent, before COMMIT': commit('before', NOTE_SENT),
    // As before COMMIT: the ledger has not moved.
    'following, after the cursor is moved': inTransaction('after', 'INSERT INTO blocks'),
    'following, after the postings': inTransaction('after', 'INSERT INTO postings'),
    'following, after the transfers are completed': inTransaction('after', 'UPDATE transfers SET status = \\$4'),
    'following, before the accounts change': inTransaction('before', 'UPDATE accounts SET posted'),
    // The leases of whoever dies while it holds them are as these; before they are taken a start has changed nothing.
    'renewing leases, after': alone('after', 'UPDATE relayers SET lease_expires_at = clock_timestamp'),
    'taking leases, before': alone('before', TAKE_LEASES),
    'taking leases, after': alone('after', TAKE_LEASES),
  },
);

test('kill -9 at each step from the call to the ledger: the next start heals, accepted transfers are paid exactly once', async (t) => {
  const stage = await openStage(t);
  for (const [name, point] of Object.entries(FROM_THE_CALL_ON)) {
    await t.test(name, () => stage.diesAndHeals(point, { atStart: point.match === TAKE_LEASES }));
  }
});

test('kill -9 at particular moments: the next start heals, accepted transfers are paid exactly once', async (t) => {
  const stage = await openStage(t);
  for (const when of ['before', 'after'] as const) {
    await t.test(`making a guest, ${when} COMMIT`, async () => {
      const [app] = stage.apps;
      await stage.diesAndHeals(commit(when, 'INSERT INTO users'), {
        provoke: (service) => stage.client.newGuest(service.origin, app!),
      });
      const { db } = await stage.world.operator();
      const halves = await db.query(
        `SELECT id FROM users WHERE NOT EXISTS (SELECT FROM accounts WHERE user_id = users.id)
           OR (SELECT count(*) FROM guest_tokens WHERE user_id = users.id) <> 2`,
      );
      assert.deepEqual(halves, [], 'guests without an account or a token');
    });
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

  await t.test('between the chunks of a full block', () =>
    stage.diesAndHeals(commit('after', 'INSERT INTO postings'), {
      provoke: async (service) => {
        await stage.world.mine(false);
        await Promise.all(Array.from({ length: 300 }, () => stage.client.one(service.origin, 'pay')));
        await until('all wait for the block', async () => {
          const pool = (await stage.world.evm.rpc('txpool_status')) as { pending: string };
          return Number(pool.pending) === 300;
        });
        await stage.world.mine(true);
      },
      meanwhile: async () => {
        const { db } = await stage.world.operator();
        const [cursor] = await db.query<{ complete: boolean; next_log_index: number }>(
          'SELECT complete, next_log_index FROM blocks ORDER BY number DESC LIMIT 1',
        );
        assert.deepEqual(cursor, { complete: false, next_log_index: 400 });
      },
    }),
  );

  await t.test('a command of the operator, after COMMIT, before it is sent', async () => {
    const [app] = stage.apps;
    const point = commit('after', 'INSERT INTO transfers');
    const output = await stage.world.command(['issue', app!.id, '77'], point);
    assert.match(output, /^killed: after commit/m);
    stage.world.issued.set(`${app!.address.toLowerCase()}/77`, 1);
    await stage.diesAndHeals(broadcast('after', 1));
  });
});
