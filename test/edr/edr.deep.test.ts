/**
 * The stages that depend on how a node behaves, on a second implementation: EDR, the node inside Hardhat. The files below
 * are the usual ones; only the node is another.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

process.env.QUARTERS_TEST_NODE = 'edr';
const { loadEdr } = await import('../kit/service/edr.ts');
const skip = (await loadEdr()) ? false : 'the package @nomicfoundation/edr has no binary for this machine';

const { NODE_FILES } = await import('./node-files.ts');
if (!skip) for (const file of NODE_FILES) await import(file);

const { privateKeyToAccount } = await import('viem/accounts');
const { readFinalised } = await import('../../src/settlement/finality.ts');
const { connectRpc } = await import('../../src/chain/rpc.ts');
const { sendRawTransactions } = await import('../../src/chain/transaction.ts');
const { startScenario } = await import('../kit/service/scenario.ts');
const { atEnd } = await import('../kit/unit/at-end.ts');
const { startEvm } = await import('../kit/service/evm.ts');

const MODES = [
  ['a block for each transaction', [], null, '1'],
  ['a block each quarter of a second', ['--no-mining'], 250, '1'],
  ['a block each quarter of a second, ten transfers in a transaction', ['--no-mining'], 250, '10'],
] as const;

for (const [mode, args, intervalMs, packed] of MODES) {
  test(`400 transfers are paid once on EDR: ${mode}`, { skip }, async (t) => {
    const node = await startEvm({ args });
    const s = await startScenario(t, { node, guests: 8, env: { RELAYERS: '2', TRANSFERS_PER_TRANSACTION: packed } });
    await s.faulty.stopMining();
    if (intervalMs) await node.rpc('evm_setIntervalMining', [intervalMs]);
    const paid = await Promise.all(Array.from({ length: 400 }, (_, i) => s.pay(i % 8, 1 + (i % 97))));
    await s.completed(...paid);
    if (intervalMs) await node.rpc('evm_setIntervalMining', [0]);
    await s.prove();
    const hashes = new Set(await Promise.all(paid.map((one) => s.txHashOf(one))));
    assert.ok(packed === '1' ? hashes.size === 400 : hashes.size < 200, `${hashes.size} transactions`);
  });
}

const GWEI = 10n ** 9n;

test('what EDR says of a raw transaction is understood', { skip }, async (t) => {
  const node = await startEvm({ args: ['--no-mining'] });
  atEnd(t, () => node.stop());
  const rpc = connectRpc([node.url]);
  const { address, signTransaction } = privateKeyToAccount(`0x${'7'.repeat(64)}`);
  await node.rpc('anvil_setBalance', [address, '0x3635c9adc5dea00000']);
  const send = async (nonce: number, change: { gas?: bigint; maxFeePerGas?: bigint; data?: `0x${string}` } = {}) => {
    const fees = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI };
    const raw = await signTransaction({
      chainId: 31_337,
      type: 'eip1559',
      to: address,
      nonce,
      gas: 21_000n,
      ...fees,
      ...change,
    });
    const [reply] = await sendRawTransactions(rpc, [Buffer.from(raw.slice(2), 'hex')]);
    return [reply!.kind, reply!.fault];
  };
  assert.deepEqual(await send(0), ['accepted', undefined]);
  assert.deepEqual(await send(0), ['accepted', undefined], 'it has it already');
  assert.deepEqual(await send(0, { maxFeePerGas: 20n * GWEI + 1n }), ['rejected', 'underpriced'], 'a replacement');
  assert.deepEqual(await send(2), ['accepted', undefined], 'one with a gap before it waits');
  assert.deepEqual(await send(1, { gas: 61_000_000n }), ['rejected', 'gas-too-high']);
  assert.deepEqual(await send(1, { data: `0x${'11'.repeat(1000)}` }), ['rejected', 'gas-too-low']);
  await node.rpc('evm_mine');
  assert.deepEqual(await send(0), ['nonce-too-low', undefined]);
});

test('EDR calls its newest block final, and does not know the rest', { skip }, async (t) => {
  const node = await startEvm({ args: ['--no-mining'] });
  atEnd(t, () => node.stop());
  const rpc = connectRpc([node.url]);
  assert.equal(await readFinalised(rpc, 0n), null, 'the first block is no answer');
  await node.rpc('anvil_mine', ['0x5']);
  assert.equal((await readFinalised(rpc, 5n))!.number, 5n);
  assert.equal(await readFinalised(rpc, 4n), null, 'nor is one above the newest that was seen');
  await assert.rejects(rpc.call('eth_getLogs', [{ blockHash: `0x${'1'.repeat(64)}` }]), /cannot be found/);
  assert.equal(await rpc.call('eth_getBlockByNumber', ['0x63', false]), null);
});
