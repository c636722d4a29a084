import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rpc } from '../../src/chain/rpc.ts';
import { reorganizeAway } from '../../src/wings/rehearsal/features/chain-faults.ts';

/** A node whose block is replaced by its `effective`th reorganisation. */
function nodeOf(effective: number) {
  const asked: string[] = [];
  const call = async (method: string) => {
    asked.push(method);
    const reorganized = asked.filter((one) => one === 'anvil_reorg').length;
    const hash = `0x${(reorganized >= effective ? '2' : '1').repeat(64)}`;
    return method === 'eth_blockNumber' ? '0x9' : { number: '0x7', hash, gasLimit: '0x1' };
  };
  const rpc = { call } as unknown as Rpc;
  return { rpc, reorganized: () => asked.filter((one) => one === 'anvil_reorg').length };
}

test('a block that was not replaced is taken back again, until it is', async () => {
  const node = nodeOf(3);
  await reorganizeAway(node, 7n);
  assert.equal(node.reorganized(), 3);
});

test('a node that replaces no block is not asked for ever', async () => {
  const node = nodeOf(Number.POSITIVE_INFINITY);
  await assert.rejects(reorganizeAway(node, 7n), /^Error: The node did not replace block 7, although it was asked 10/);
  assert.equal(node.reorganized(), 10);
});
