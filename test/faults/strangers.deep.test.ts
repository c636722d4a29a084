import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jumpTheQueue, useRelayerElsewhere } from '../kit/service/provoking.ts';
import { startScenario } from '../kit/service/scenario.ts';

describe('strangers, again', { concurrency: 4 }, () => {
  test('transfers are paid when the relayer key is used elsewhere for eight transactions', async (t) => {
    const s = await startScenario(t);
    await useRelayerElsewhere(s, 8);
    const paid = [await s.pay(0, 25), await s.pay(1, 30)];
    await s.completed(...paid);
    await s.prove();
  });

  test('transfers are paid when a reorganisation drops someone else’s use of the relayer nonce', async (t) => {
    const s = await startScenario(t);
    const head = async () => Number(await s.faulty.evm.rpc('eth_blockNumber'));
    const before = await head();
    await useRelayerElsewhere(s, 2);
    const paid = [await s.pay(0, 25), await s.pay(1, 30)];
    await s.completed(...paid);
    await s.faulty.stopMining();
    await s.faulty.reorganise((await head()) - before);
    s.faulty.startMining();
    await s.prove();
  });

  test('a bundle that someone else submits first completes all its transfers', async (t) => {
    const s = await startScenario(t, { env: { TRANSFERS_PER_TRANSACTION: '10' } });
    await s.faulty.stopMining();
    // The first instruction is accepted alone; the others share the next group.
    const paid = await Promise.all([1, 2, 3, 4, 5].map((amount) => s.pay(amount % 3, amount)));
    const stranger = await jumpTheQueue(s, paid.at(-1)!);
    s.faulty.startMining();
    await s.completed(...paid);
    assert.equal(await s.txHashOf(paid.at(-1)!), stranger);
    await s.prove();
  });
});
