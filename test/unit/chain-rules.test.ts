import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hexToBytes } from '../../src/base/hex.ts';
import { missingInstructions, NEWER_INSTRUCTIONS } from '../../src/chain/chain-rules.ts';
import { quartersBytecode, settlementBytecode } from '../../src/chain/contracts.generated.ts';
import type { RpcReply } from '../../src/chain/json-rpc-http.ts';
import type { Rpc } from '../../src/chain/rpc.ts';

/** All that came after London: PUSH0; BLOBHASH, BLOBBASEFEE, TLOAD, TSTORE and MCOPY; CLZ. */
const AFTER_LONDON = [0x5f, 0x49, 0x4a, 0x5c, 0x5d, 0x5e, 0x1e];

/** The instructions of some code. Those that push skip what they push. */
function* instructionsOf(code: Uint8Array): Generator<number> {
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at]!;
    yield opcode;
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
}

test('a first start asks for all instructions of our contracts that some chains lack, and for no others', () => {
  const used = new Set([quartersBytecode, settlementBytecode].flatMap((code) => [...instructionsOf(hexToBytes(code))]));
  assert.deepEqual(
    NEWER_INSTRUCTIONS.map(({ opcode }) => opcode),
    AFTER_LONDON.filter((opcode) => used.has(opcode)),
  );
  for (const { opcode, trial } of NEWER_INSTRUCTIONS) {
    assert.ok([...instructionsOf(hexToBytes(trial as `0x${string}`))].includes(opcode), trial);
  }
});

test('a node that runs no creations in calls, or does not answer, is not taken for one of an old chain', async () => {
  const answering = (replies: RpcReply[]) => ({ batch: async () => replies }) as unknown as Rpc;
  const ran: RpcReply = { kind: 'result', result: '0x' };
  const refused: RpcReply = { kind: 'error', code: -32_015, message: 'bad instruction 5e' };
  const silent: RpcReply = { kind: 'unknown', reason: 'timeout' };
  assert.equal(await missingInstructions(answering([ran, ran, ran])), null);
  assert.equal(await missingInstructions(answering([ran, ran, refused])), 'MCOPY (Cancun)');
  assert.equal(await missingInstructions(answering([refused, refused, refused])), null);
  assert.equal(await missingInstructions(answering([silent, silent, silent])), null);
  assert.equal(await missingInstructions(answering([ran, silent, silent])), null);
});
