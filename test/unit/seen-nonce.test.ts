import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { connectRpc, RpcUnreachable } from '../../src/chain/rpc.ts';
import { readSeenNonce } from '../../src/chain/state.ts';
import { startScriptedNode } from '../kit/unit/scripted-node.ts';

const RELAYER = asAddress(`0x${'7'.repeat(40)}`);

test('a transaction that only one endpoint has in its pool counts, whichever is asked first', async (t) => {
  const nodes = await Promise.all(['a', 'a', 'a'].map((blocks) => startScriptedNode(t, blocks)));
  for (const [i, seen] of ['0x5', '0x7', '0x9'].entries()) {
    nodes[i]!.answers.set('eth_getTransactionCount', ([, tag]) => ({ result: tag === 'pending' ? seen : '0x3' }));
  }
  const rpc = connectRpc(nodes.map(({ url }) => url));
  const [first, second, third] = rpc.endpoints.all;
  third!.state = 'foreign';
  assert.equal(await readSeenNonce(rpc, RELAYER), 7n);
  rpc.endpoints.choose(second!);
  nodes[0]!.answers.set('eth_getTransactionCount', () => ({ result: '0x8' }));
  assert.equal(await readSeenNonce(rpc, RELAYER), 8n, 'a mined one counts too');
  nodes[0]!.reachable = false;
  first!.state = 'unreachable';
  assert.equal(await readSeenNonce(rpc, RELAYER), 7n, 'an endpoint that does not answer is not asked');
  first!.state = 'ok';
  assert.equal(await readSeenNonce(rpc, RELAYER), 7n, 'nor does it prevent the answer');
  nodes[1]!.reachable = false;
  await assert.rejects(readSeenNonce(rpc, RELAYER), RpcUnreachable);
});
