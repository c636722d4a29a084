import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hash } from '../../src/base/hex.ts';
import { newRequestId, newTransferId } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/database.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import type { GroupDecision } from '../../src/settlement/accept/decision.ts';
import { toOutcomes } from '../../src/settlement/accept/outcomes.ts';
import type { SignedBundle } from '../../src/settlement/accept/signing.ts';
import type { Split } from '../../src/settlement/accept/split.ts';

test('a request that is approved twice in one group gets the answer of the first, which nothing has stored yet', async () => {
  const requestId = newRequestId();
  const [first, second] = [newTransferId(), newTransferId()];
  const approving = (transferId: typeof first) =>
    ({ transferId, origin: { kind: 'approval', requestId } }) as unknown as Instruction;
  const hash = `0x${'77'.repeat(32)}` as Hash;
  const instructions = [approving(first), approving(second)];
  const split = { instruction: instructions[0], legs: [{ transferId: first }] } as unknown as Split;
  const outcomes = await toOutcomes(
    { query: () => assert.fail('It reads.') } as unknown as Tx,
    instructions,
    [
      { kind: 'accepted', rewards: [] },
      { kind: 'repeated', requestId },
    ] as GroupDecision[],
    [split],
    new Map([[first, { hash } as SignedBundle]]),
  );
  const result = { transferId: first, requestId, txHash: hash };
  assert.deepEqual(outcomes, [
    { ok: true, result },
    { ok: true, result },
  ]);
});
