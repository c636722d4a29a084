import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachMonth } from '../../src/wings/archive/features/attach-month.ts';
import { detachMonth } from '../../src/wings/archive/features/detach-month.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { forgetEvents } from '../rows/webhooks.ts';
import { archiveAll, assertAuditEqual, FINAL, MONTH_ENDS, paidMonth, rowsOf, wholeState } from './archived.ts';

const report = () => {};

test('a backup with an archived and a detached month is restored from the chain, and recovers only what it lacks', {
  skip: MONTH_ENDS,
}, async (t) => {
  const { start, copyDatabase, faulty, pay } = await ranBefore(t, FINAL.env);
  const folder = await scratchFolder(t);
  const first = await start();
  await until('the database is compared', () => first.service.readiness.compared === 'done');
  for (let i = 0; i < 4; i++) await pay(first, 10 + i);
  await first.settled();
  await pay(first, 50);
  await first.settled();
  await faulty.mine(2);
  await first.settled();
  await archiveAll(first.service);
  await forgetEvents(first.service.db);
  const month = await paidMonth(first.service);
  const detached = await detachMonth(first.service, month, folder, report);
  assert.ok(detached.rows.transfers >= 4n);
  await first.stop();
  const copy = await copyDatabase();

  const second = await start();
  await until('the database is compared', () => second.service.readiness.compared === 'done');
  for (let i = 0; i < 3; i++) await pay(second, 100 + i);
  await second.settled();
  const state = await wholeState(second.service);
  await second.stop();

  const s = await start(copy);
  await until('payments are suspended', () => s.service.readiness.suspended && s.service.readiness.chain === 'ok');
  // From long before the month that is in a file.
  const restored = await runCommand(s.service, 'restore', '--since', '2020-01-01', '--yes', '--json');
  assert.equal(restored.code, 0, restored.err);
  const { payments, differences, resumed } = JSON.parse(restored.out);
  assert.deepEqual({ payments, differences, resumed }, { payments: 3, differences: 0, resumed: true });
  assert.deepEqual((await wholeState(s.service)).balances, state.balances);
  await attachMonth(s.service, month, folder, report);
  await assertAuditEqual(s.service);
  assert.equal((await rowsOf(s.service, 'transfers')).all, state.counts[1]! + Number(detached.rows.transfers));
});
