import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalWhileBusy } from '../../src/api/busy.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import type { Readiness } from '../../src/service/service.ts';
import { openAdmission } from '../../src/settlement/accept/admission.ts';

const readiness = { compared: 'done', suspended: false, moving: false } as Readiness;
const admissionOf = (limits: { readonly maxBacklog: number; readonly maxBacklogPerApp: number }, backlog: number) => {
  const settlement = { backlog, processes: 1 };
  return { settlement, admission: openAdmission({ ...limits, transfersPerTransaction: 1 }, settlement) };
};

test('a call that pays from a late account is refused, however its address is written', () => {
  const late = `0x${'ab'.repeat(20)}`;
  const { admission } = admissionOf({ maxBacklog: 10, maxBacklogPerApp: 10 }, 9);
  const codeFor = (address: string, headers = {}) =>
    refusalWhileBusy({ isLate: (payer) => payer === late, admission, readiness }, { params: { address }, headers })
      ?.code;
  assert.equal(codeFor(late), 'overloaded');
  assert.equal(codeFor(`0x${'AB'.repeat(20)}`), 'overloaded');
  assert.equal(codeFor(`0x${'cd'.repeat(20)}`), undefined);
  // It may have been paid by an earlier call.
  assert.equal(codeFor(late, { 'idempotency-key': 'order 1' }), undefined);
});

test('while the backlog is full, in all or of its app, a call is refused before anybody is looked up for it', () => {
  const { settlement, admission } = admissionOf({ maxBacklog: 10, maxBacklogPerApp: 1 }, 10);
  const codeFor = (address: string, headers = {}) =>
    refusalWhileBusy({ isLate: () => false, admission, readiness }, { params: { address }, headers })?.code;
  const address = `0x${'ab'.repeat(20)}`;
  assert.equal(codeFor(address), 'overloaded');
  assert.equal(codeFor(address, { 'idempotency-key': 'order 1' }), undefined);

  settlement.backlog = 0;
  assert.equal(codeFor(address), undefined);
  admission.enter({ origin: { kind: 'payout' }, from: address } as Instruction);
  assert.equal(codeFor(address), 'app-backlog-full');
  assert.equal(codeFor(`0x${'cd'.repeat(20)}`), undefined);
});
