import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { considerChain } from '../../src/wings/doctor/diagnostics/consider-chain.ts';
import { startEvm } from '../kit/service/evm.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startFaultProxy } from '../kit/unit/fault-proxy.ts';

test('a chain that is only considered is looked at without a setup, and its weak sides are named', async (t) => {
  const node = await startEvm();
  atEnd(t, () => node.stop());
  const [from] = (await node.rpc('eth_accounts')) as [string];
  for (let i = 0; i < 3; i++) await node.rpc('eth_sendTransaction', [{ from, to: from, value: '0x1' }]);
  const proxy = await startFaultProxy(t, node.url);
  const look = async () => {
    const { state, checks } = await considerChain(proxy.url, readSettings({}), () => {});
    const of = Object.fromEntries(checks.map(({ part, says, facts }) => [part, `${says} ${JSON.stringify(facts)}`]));
    return { state, of, text: JSON.stringify(checks) };
  };
  const sound = await look();
  assert.equal(sound.state, 'good', sound.text);
  assert.match(sound.of.Proof!, /all of \d+ blocks prove/);
  assert.match(sound.of.Price!, /One transfer.*e-?\d+|One transfer.*0\.000/);

  proxy.lie((method, result) =>
    method === 'eth_getBlockReceipts' ? (result as object[]).map((one) => ({ ...one, type: '0x55' })) : result,
  );
  proxy.gateway = (calls, isBatch) => {
    const isRefused = calls.some(({ method }) => method === 'eth_feeHistory');
    const error = { code: -32_601, message: 'the method does not exist' };
    if (isRefused) return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]!.id, error }) };
    return isBatch && calls.length > 5 ? 'closes' : null;
  };
  const weak = await look();
  assert.equal(weak.state, 'warning', weak.text);
  assert.match(weak.of.Proof!, /two endpoints have to agree.*do not have the root/);
  assert.match(weak.of.Calls!, /refuses 1\b.*eth_feeHistory/);
  assert.match(weak.of.Batches!, /answers 5 calls at once/);

  proxy.reachable = false;
  const away = await look();
  assert.deepEqual([away.state, Object.keys(away.of)], ['bad', ['Node']]);
});
