import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { planRepair, repairLedger } from '../../src/features/repair/repair-ledger.ts';
import { readRequest } from '../../src/views/requests/read-requests.ts';
import { planMonths } from '../../src/wings/archive/features/plan-months.ts';
import { createTables } from '../../src/wings/archive/store/month-tables.ts';
import { beginMonth, lockMoving } from '../../src/wings/archive/store/months.ts';
import { FIRST_TIMED_ID, moveRequests } from '../../src/wings/archive/store/move-rows.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { removePostings } from '../rows/ledger.ts';
import { changeTransfers } from '../rows/transfers.ts';
import { archiveAll, assertAuditEqual, FINAL, inTime, rowsOf, untilFinal, wholeState } from './archived.ts';

test('an archived block is repaired: what it has right stays as it is, and no refund is forgotten', async (t) => {
  const s = await startScenario(t, FINAL);
  await s.completed(await s.pay(0, 500));
  // All in one block.
  await s.faulty.stopMining();
  const paid = await Promise.all([s.spend(0, 60), s.spend(0, 50), s.spend(0, 40)]);
  await until('all wait', async () => {
    const waiting = new Set((await s.faulty.waiting()).map(({ hash }) => hash));
    return paid.every(({ txHash }) => waiting.has(txHash));
  });
  s.faulty.startMining();
  await s.completed(...paid);
  const [refunded, lacking] = [paid[0]!, paid[1]!];
  const app = asApp(s.game.id);
  const refund = (amount?: number) => refundRequest(s.service, app, { requestId: refunded.requestId, amount });
  await refund(45);
  await untilFinal(s);
  const state = await wholeState(s.service);
  await archiveAll(s.service);

  await changeTransfers(s.service.db, { id: refunded.transferId }, { status: 'failed' });
  await removePostings(s.service.db, { txHash: lacking.txHash });
  assert.equal((await rowsOf(s.service, 'postings')).all, state.counts[3]! - 1);
  const repaired = await runCommand(s.service, 'audit', '--repair', '--yes', '--json');
  assert.deepEqual([repaired.code, JSON.parse(repaired.out).differences], [0, []], repaired.err);
  await s.calm();
  const after = await wholeState(s.service);
  assert.deepEqual(after.balances, state.balances);
  assert.deepEqual(after.counts, state.counts);
  assert.equal((await readRequest(s.service, app, refunded.requestId)).refunded, 45n);
  await assert.rejects(refund(16), { code: 'refund-too-large' });
  await refund(15);
  await s.calm();
  await assertAuditEqual(s.service);
});

test('a repair waits for rows that are being moved, and corrects them at their new place', async (t) => {
  const s = await startScenario(t, FINAL);
  const paid = await s.pay(0, 500);
  await s.completed(paid);
  await untilFinal(s);
  const { db } = s.service;
  await changeTransfers(db, { id: paid.transferId }, { status: 'failed' });
  const plan = await planRepair(s.service, { differences: [] }, s.service.chain.startBlock);
  assert.equal(plan.blocks.length, 1);
  const [month] = await planMonths(s.service, null, inTime());
  await db.transaction(async (tx) => {
    await beginMonth(tx, month!.month, month!.lastBlock);
    await createTables(tx, month!.month, month!.lastBlock, null);
  });
  const repaired = Promise.withResolvers<void>();
  await db.transaction(async (tx) => {
    assert.ok(await lockMoving(tx, month!.month, 1n));
    const { moved } = await moveRequests(tx, month!, { after: FIRST_TIMED_ID, most: 100, refunds: false });
    assert.ok(moved > 0);
    repairLedger(s.service, plan).then(() => repaired.resolve(), repaired.reject);
    await lockWaitersAre(s.service, 1);
  });
  await repaired.promise;
  await assertAuditEqual(s.service);
  assert.equal((await readRequest(s.service, asApp(s.game.id), paid.requestId)).status, 'completed');
});
