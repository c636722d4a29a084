import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { mineAtBaseFee, quantity } from '../kit/service/provoking.ts';
import { type Accepted, relayerOf, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';

const nonces = (attempts: Awaited<ReturnType<Scenario['attemptsOf']>>) => new Set(attempts.map(({ nonce }) => nonce));

async function reverted(s: Scenario, paid: Accepted): Promise<boolean> {
  const receipt = (await s.faulty.evm.rpc('eth_getTransactionReceipt', [paid.txHash])) as { status: string } | null;
  return receipt?.status === '0x0';
}

describe('refused and reverted transactions', { concurrency: 4 }, () => {
  test('a transaction with too low a fee is replaced at the same nonce with a higher one', async (t) => {
    const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '3' } });
    await s.faulty.stopMining();
    const paid = await s.pay(0, 10);
    await until('it waits', async () => (await s.faulty.waiting()).length === 1);
    await until('a replacement is mined', async () => {
      await mineAtBaseFee(s, 150n, 1);
      return (await s.attemptsOf(paid)).some(({ status }) => status === 'mined');
    });
    s.faulty.startMining();
    await s.completed(paid);
    const attempts = await s.attemptsOf(paid);
    assert.ok(attempts.length > 1);
    assert.equal(nonces(attempts).size, 1, 'all attempts are at one nonce');
    assert.equal(attempts.filter(({ status }) => status === 'mined').length, 1);
    assert.equal(await s.txHashOf(paid), attempts.find(({ status }) => status === 'mined')!.hash);
    assert.notEqual(await s.txHashOf(paid), paid.txHash);
    await s.prove();
  });

  test('transactions reverted by a paused token are made again with the same authorization', async (t) => {
    const s = await startScenario(t, { env: { RELAYERS: '2' } });
    await asAdmin(s, PAUSE);
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    for (const one of paid) await until('it reverted', () => reverted(s, one));
    // The note that the node has it may come a moment after it is mined.
    for (const one of paid) {
      const decided = (await s.movesOf(one)).filter((to) => !['approved', 'submitted'].includes(to));
      assert.deepEqual(decided, [], 'no receipt decides a transfer');
    }
    await until('one was tried several times', async () => (await s.attemptsOf(paid[0]!)).length > 2);
    await asAdmin(s, UNPAUSE);
    await s.completed(...paid);
    for (const one of paid)
      assert.ok(nonces(await s.attemptsOf(one)).size > 1 || (await s.txHashOf(one)) !== one.txHash);
    await s.prove();
  });

  test('a gas limit above the block’s is corrected at the same nonce with the same payload', async (t) => {
    const s = await startScenario(t);
    await s.faulty.evm.rpc('anvil_setBlockGasLimit', [quantity(100_000n)]);
    await s.faulty.mine();
    const paid = await s.pay(0, 10);
    await s.completed(paid);
    const attempts = await s.attemptsOf(paid);
    assert.ok(attempts.length > 1);
    assert.equal(nonces(attempts).size, 1);
    await s.prove();
  });

  test('a transaction that runs out of gas is followed by one with the same authorization', async (t) => {
    const s = await startScenario(t);
    // Enough for a transaction, too little for a transfer to a new account.
    await s.faulty.evm.rpc('anvil_setBlockGasLimit', [quantity(60_000n)]);
    await s.faulty.mine();
    const paid = await s.pay(0, 10);
    await until('it ran out of gas', async () =>
      (await s.attemptsOf(paid)).some(({ status, attempt }) => status === 'mined' && attempt > 0),
    );
    assert.equal((await s.movesOf(paid)).includes('completed'), false);
    await s.faulty.evm.rpc('anvil_setBlockGasLimit', [quantity(30_000_000n)]);
    await s.faulty.mine();
    await s.completed(paid);
    assert.ok(nonces(await s.attemptsOf(paid)).size > 1);
    await s.prove();
  });

  test('transfers of a relayer without ether wait and are paid after funding', async (t) => {
    const s = await startScenario(t);
    const relayer = await relayerOf(s);
    await s.faulty.evm.rpc('anvil_setBalance', [relayer, '0x0']);
    const paid = [await s.pay(0, 10), await s.pay(1, 20)];
    await until('the node has refused them', () =>
      s.logged.some(({ message, entry }) => /did not take/.test(message) && /funds/i.test(String(entry.reason))),
    );
    for (const one of paid) assert.deepEqual(await s.movesOf(one), ['approved']);
    await s.faulty.evm.rpc('anvil_setBalance', [relayer, quantity(10n ** 21n)]);
    await s.completed(...paid);
    await s.prove();
  });
});
