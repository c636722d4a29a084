import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { mineAtBaseFee, quantity } from '../kit/service/provoking.ts';
import { relayerOf, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';

describe('refused and reverted transactions, again', { concurrency: 4 }, () => {
  test('transfers wait while the base fee is above the ceiling, and are paid when it falls', async (t) => {
    const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '2' } });
    await s.faulty.stopMining();
    const waits = await s.pay(0, 10);
    await until('it waits', async () => (await s.faulty.waiting()).length === 1);
    await mineAtBaseFee(s, 500n, 8);
    // Signed at the ceiling, so the node refuses it at once.
    const refused = [await s.pay(1, 20), await s.pay(2, 30)];
    await until('the node has refused it', () =>
      s.logged.some(({ message, entry }) => /did not take/.test(message) && /fee/.test(String(entry.reason))),
    );
    assert.equal((await s.movesOf(waits)).includes('completed'), false);
    await mineAtBaseFee(s, 1n, 2);
    s.faulty.startMining();
    await s.completed(waits, ...refused);
    await s.prove();
  });

  test('a bundle reverted by a paused token: each transfer gets a new transaction', async (t) => {
    const s = await startScenario(t, { env: { TRANSFERS_PER_TRANSACTION: '10' } });
    await asAdmin(s, PAUSE);
    const paid = await Promise.all([1, 2, 3, 4, 5, 6].map((amount) => s.pay(amount % 3, amount)));
    await until('the transactions are mined, without a payment', async () => {
      const attempts = (await Promise.all(paid.map((one) => s.attemptsOf(one)))).flat();
      return attempts.filter(({ status }) => status === 'mined').length >= 2;
    });
    await asAdmin(s, UNPAUSE);
    await s.completed(...paid);
    await s.prove();
  });

  test('a transaction that the node has but rejects as invalid is mined once', async (t) => {
    const s = await startScenario(t);
    for (const message of ['intrinsic gas too low', 'transaction underpriced']) {
      s.faulty.proxy.inject({ fault: 'item-errors', method: 'eth_sendRawTransaction', times: 2, message });
      await s.completed(await s.pay(0, 10), await s.pay(1, 20));
      assert.ok(s.faulty.proxy.struck('item-errors') > 0);
      s.faulty.proxy.heal();
    }
    await s.prove();
  });

  test('transfers are paid after the relayer loses its ether with transactions in the pool', async (t) => {
    const s = await startScenario(t);
    const relayer = await relayerOf(s);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20)];
    await until('they wait', async () => (await s.faulty.waiting()).length === 2);
    await s.faulty.evm.rpc('anvil_setBalance', [relayer, '0x0']);
    await s.faulty.mine(2);
    await s.faulty.evm.rpc('anvil_setBalance', [relayer, quantity(10n ** 21n)]);
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });
});
