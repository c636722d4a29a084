import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseWhileLate } from '../../src/api/late.ts';
import { Problem } from '../../src/base/problems.ts';

test('a call that pays from a late account is refused, however its address is written', async () => {
  const late = `0x${'ab'.repeat(20)}`;
  const step = refuseWhileLate({ isLate: (payer) => payer === late });
  const isOverloaded = (error: unknown) => error instanceof Problem && error.code === 'overloaded';
  await assert.rejects(step({ params: { address: late }, headers: {} }), isOverloaded);
  await assert.rejects(step({ params: { address: `0x${'AB'.repeat(20)}` }, headers: {} }), isOverloaded);
  await step({ params: { address: `0x${'cd'.repeat(20)}` }, headers: {} });
  // It may have been paid by an earlier call.
  await step({ params: { address: late }, headers: { 'idempotency-key': 'order 1' } });
});
