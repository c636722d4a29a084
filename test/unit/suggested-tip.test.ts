import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RpcReply } from '../../src/chain/json-rpc-http.ts';
import { readNodesTip, readSuggestedTip } from '../../src/chain/learned-tip.ts';
import type { Rpc } from '../../src/chain/rpc.ts';

const answered = (result: unknown): RpcReply => ({ kind: 'result', result });
const REFUSED: RpcReply = { kind: 'error', code: -32_601, message: 'the method does not exist' };
const paid = (...tips: string[]) => answered({ reward: tips.map((tip) => [tip]) });

test('the suggested tip is the node’s own or the usual one of the newest blocks, whichever is more', async () => {
  const suggested = (...replies: RpcReply[]) =>
    readSuggestedTip({ batch: async () => replies } as unknown as Rpc, { baseFeePerGas: 1n });
  assert.equal(await suggested(answered('0x5'), paid('0x1', '0x9', '0x7')), 7n, 'the median');
  assert.equal(await suggested(answered('0xa'), paid('0x1', '0x9', '0x7')), 10n);
  assert.equal(await suggested(answered('0x5'), paid('0x0', '0x0', '0x9')), 9n, 'blocks without transactions say 0');
  assert.equal(await suggested(REFUSED, paid('0x9')), 9n);
  assert.equal(await suggested(answered('0x5'), REFUSED), 5n);
  assert.equal(await suggested(answered('0x5'), answered({})), 5n);
  assert.equal(await suggested(REFUSED, paid('0x0')), null);
  assert.equal(await suggested(answered('much'), answered({ reward: ['0x9'] })), null);
});

test('where blocks have no base fee, the gas price is what the node suggests', async () => {
  const methods: string[] = [];
  const rpc = {
    async batch(calls: readonly { method: string }[]) {
      methods.push(...calls.map(({ method }) => method));
      return calls.map(() => answered('0x5'));
    },
  } as unknown as Rpc;
  for (const baseFeePerGas of [null, 0n, undefined]) assert.equal(await readNodesTip(rpc, { baseFeePerGas }), 5n);
  await readSuggestedTip(rpc, { baseFeePerGas: null });
  assert.deepEqual(methods, [
    ...['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_maxPriorityFeePerGas'],
    ...['eth_gasPrice', 'eth_feeHistory'],
  ]);
});
