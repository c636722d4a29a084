import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startScenario } from '../settlement/scenario.ts';
import { jumpTheQueue, useRelayerElsewhere } from './provoking.ts';

describe('strangers, again', { concurrency: 4 }, () => {
  test('relayer key used elsewhere for eight transactions in a row', async (t) => {
    const s = await startScenario(t);
    await useRelayerElsewhere(s, 8);
    const paid = [await s.pay(0, 25), await s.pay(1, 30)];
    await s.completed(...paid);
    await s.prove();
  });

  test('relayer nonce used by someone else, then a reorganisation takes that back', async (t) => {
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

  test('someone else submits a packed transaction first: its logs complete all transfers', async (t) => {
    const s = await startScenario(t, { env: { TRANSFERS_PER_TRANSACTION: '10' } });
    await s.faulty.stopMining();
    // The first group is decided alone, the others share the next.
    const paid = await Promise.all([1, 2, 3, 4, 5].map((amount) => s.pay(amount % 3, amount)));
    const stranger = await jumpTheQueue(s, paid.at(-1)!);
    s.faulty.startMining();
    await s.completed(...paid);
    assert.equal(await s.txHashOf(paid.at(-1)!), stranger);
    await s.prove();
  });
});
