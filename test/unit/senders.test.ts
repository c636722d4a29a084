import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readSender, readSenders } from '../../src/chain/state.ts';
import { startScriptedNode } from '../kit/unit/scripted-node.ts';

const RELAYER = asAddress(`0x${'7'.repeat(40)}`);
const HASHES = ['1', '2', '3', '4'].map((digit) => asHash(`0x${digit.repeat(64)}`));

test('who sent a transaction is asked of other endpoints, if the first one does not know it', async (t) => {
  const nodes = await Promise.all(['a', 'a', 'a'].map((blocks) => startScriptedNode(t, blocks)));
  const asked: unknown[][] = [[], [], []];
  const known = [[HASHES[0]], [HASHES[1]], [HASHES[0], HASHES[2]]];
  for (const [i, { answers }] of nodes.entries()) {
    answers.set('eth_getTransactionByHash', ([hash]) => {
      asked[i]!.push(hash);
      return { result: known[i]!.includes(hash as never) ? { from: RELAYER, nonce: `0x${i}` } : null };
    });
  }
  const rpc = connectRpc(nodes.map(({ url }) => url));
  assert.deepEqual(
    [...(await readSenders(rpc, HASHES))].map(([hash, { nonce }]) => [hash, nonce]),
    [0n, 1n, 2n].map((nonce, i) => [HASHES[i], nonce]),
  );
  assert.deepEqual(asked, [HASHES, HASHES.slice(1), HASHES.slice(2)]);
  assert.deepEqual(await readSender(rpc, HASHES[1]!), { relayer: RELAYER, nonce: 1n });
  assert.equal(await readSender(rpc, HASHES[3]!), null);
});
