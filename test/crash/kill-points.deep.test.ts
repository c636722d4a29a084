import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHUNK } from '../../src/settlement/follow.ts';
import { broadcast, commit } from '../kit/service/crash-points.ts';
import { openStage } from '../kit/service/crash-stage.ts';
import { until } from '../kit/unit/until.ts';

/** A payment has two logs, so these need two chunks. */
const PAYMENTS = CHUNK / 2 + 20;

test('kill -9 at rare moments: the next start recovers, accepted transfers are paid exactly once', async (t) => {
  const stage = await openStage(t);
  for (const when of ['before', 'after'] as const) {
    await t.test(`creating a guest, ${when} COMMIT`, async () => {
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

  await t.test('while following, between the chunks of a full block', () =>
    stage.diesAndHeals(commit('after', 'INSERT INTO postings'), {
      provoke: async (service) => {
        await stage.world.mine(false);
        await Promise.all(Array.from({ length: PAYMENTS }, () => stage.client.one(service.origin, 'pay')));
        await until('all wait for the block', async () => {
          const pool = (await stage.world.evm.rpc('txpool_status')) as { pending: string };
          return Number(pool.pending) === PAYMENTS;
        });
        await stage.world.mine(true);
      },
      meanwhile: async () => {
        const { db } = await stage.world.operator();
        const [cursor] = await db.query<{ complete: boolean; next_log_index: number }>(
          'SELECT complete, next_log_index FROM blocks ORDER BY number DESC LIMIT 1',
        );
        assert.deepEqual(cursor, { complete: false, next_log_index: CHUNK });
      },
    }),
  );

  await t.test('a command of the operator, after COMMIT, before its transfer is sent', async () => {
    const [app] = stage.apps;
    const point = commit('after', 'INSERT INTO transfers');
    const output = await stage.world.command(['issue', app!.id, '77'], point);
    assert.match(output, /^killed: after commit/m);
    stage.world.issued.set(`${app!.address.toLowerCase()}/77`, 1);
    await stage.diesAndHeals(broadcast('after'));
  });
});
