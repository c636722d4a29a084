import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseWhileBusy } from '../../src/api/busy.ts';
import { Problem } from '../../src/base/problems.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import type { Readiness } from '../../src/service/service.ts';
import { openAdmission } from '../../src/settlement/accept/admission.ts';

const readiness = { compared: 'done', suspended: false, moving: false } as Readiness;
const isOverloaded = (error: unknown) => error instanceof Problem && error.code === 'overloaded';

test('a call that pays from a late account is refused, however its address is written', async () => {
  const late = `0x${'ab'.repeat(20)}`;
  const admission = openAdmission({ maxBacklog: 10, maxBacklogPerApp: 10 }, { backlog: 9, processes: 1 });
  const step = refuseWhileBusy({ isLate: (payer) => payer === late, admission, readiness });
  await assert.rejects(step({ params: { address: late }, headers: {} }), isOverloaded);
  await assert.rejects(step({ params: { address: `0x${'AB'.repeat(20)}` }, headers: {} }), isOverloaded);
  await step({ params: { address: `0x${'cd'.repeat(20)}` }, headers: {} });
  // It may have been paid by an earlier call.
  await step({ params: { address: late }, headers: { 'idempotency-key': 'order 1' } });
});

test('while the backlog is full, in all or of its app, a call is refused before anybody is looked up for it', async () => {
  const settlement = { backlog: 10, processes: 1 };
  const admission = openAdmission({ maxBacklog: 10, maxBacklogPerApp: 1 }, settlement);
  const step = refuseWhileBusy({ isLate: () => false, admission, readiness });
  const params = { address: `0x${'ab'.repeat(20)}` };
  await assert.rejects(step({ params, headers: {} }), isOverloaded);
  await step({ params, headers: { 'idempotency-key': 'order 1' } });

  settlement.backlog = 0;
  await step({ params, headers: {} });
  const origin = { kind: 'payout' };
  admission.enter({ origin, from: params.address } as Instruction);
  await assert.rejects(step({ params, headers: {} }), { code: 'app-backlog-full' });
  await step({ params: { address: `0x${'cd'.repeat(20)}` }, headers: {} });
});
