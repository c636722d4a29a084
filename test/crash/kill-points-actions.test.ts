import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { alone, commit, crashCases } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';

const DECIDING = 'INSERT INTO operator_actions';
const ENDING = 'UPDATE operator_actions SET state';

const ISSUING = crashCases<KillPoint>(
  {
    'after the COMMIT that decides it': commit('after', DECIDING),
    'after the COMMIT that accepts the transfer': commit('after', 'INSERT INTO transfers'),
  },
  {
    'before the COMMIT that decides it': commit('before', DECIDING),
    'before the COMMIT that accepts the transfer': commit('before', 'INSERT INTO transfers'),
    'before its end is recorded': alone('before', ENDING),
    'after its end is recorded': alone('after', ENDING),
  },
);

test('kill -9 of a command that issues quarters: run again with the same key, it pays once', {
  skip: notInTurn(4, 'kills of an issue'),
}, async (t) => {
  const world = await openWorldFromSnapshot(t);
  await world.startReady();
  const { id } = await world.createApp();
  const operator = await world.operator();
  let paid = 0;
  for (const [name, point] of Object.entries(ISSUING)) {
    await t.test(name, async () => {
      const issue = ['issue', id, '100', '--key', name];
      assert.match(await world.command(issue, point), /^killed: /m);
      await world.command(issue);
      await world.command(issue);
      paid += 100;
      await world.settled();
      const [account] = await operator.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE app_id = $1', [
        id,
      ]);
      assert.equal(Number(account!.posted), paid);
      const actions = await operator.db.query<{ state: string }>(
        `SELECT state FROM operator_actions WHERE state <> 'done'`,
      );
      assert.deepEqual(actions, []);
      await assertLedgerIsChain(operator);
    });
  }
});
