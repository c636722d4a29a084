import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listRelayers } from '../../src/chain/relayers.ts';
import { type Accepted, eventually, type Scenario, startScenario } from '../settlement/scenario.ts';

const submitted = (s: Scenario, paid: readonly Accepted[]) =>
  eventually('the node has the transactions', async () => (await s.faulty.waiting()).length === paid.length);

describe('a node that forgets', { concurrency: 4 }, () => {
  test('one transaction evicted from the pool', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    await submitted(s, paid);
    await s.faulty.evm.rpc('anvil_dropTransaction', [paid[1]!.txHash]);
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });

  test('the whole pool evicted', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    await submitted(s, paid);
    await s.faulty.evm.rpc('anvil_dropAllTransactions');
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });

  test('node restarted from an older state', async (t) => {
    const s = await startScenario(t, { env: { RELAYERS: '2' } });
    const before = [await s.pay(0, 100), await s.pay(1, 100)];
    await s.calm();
    const state = await s.faulty.evm.dump();
    const forgotten: Accepted[] = [];
    for (let i = 0; i < 8; i++) forgotten.push(await s.pay(i % 3, i + 1));
    await s.completed(...forgotten);
    forgotten.push(await s.spend(0, 50), await s.spend(1, 60));
    await s.completed(...forgotten);
    await s.faulty.restartFrom(state);
    const after = await s.pay(2, 5);
    await eventually('all are paid again', async () => (await s.movesOf(forgotten.at(-1)!)).length === 6);
    await s.prove();
    for (const one of forgotten.slice(-2)) {
      assert.deepEqual((await s.movesOf(one)).slice(1), [
        'approved',
        'submitted',
        'completed',
        'submitted',
        'completed',
      ]);
    }
    for (const one of [...before, after])
      assert.equal((await s.movesOf(one)).filter((to) => to === 'completed').length, 1);
  });

  test('node restarted from an older state, mining switched off for a while', async (t) => {
    const s = await startScenario(t);
    await s.calm();
    const state = await s.faulty.evm.dump();
    const forgotten = [await s.pay(0, 100), await s.pay(1, 100)];
    await s.completed(...forgotten);
    forgotten.push(await s.spend(0, 40));
    await s.completed(...forgotten);
    await s.faulty.stopMining();
    await s.faulty.restartFrom(state);
    const meanwhile = [await s.pay(1, 7), await s.spend(1, 9)];
    await eventually('the node has all transactions again', async () => (await s.faulty.waiting()).length === 5);
    s.faulty.startMining();
    await s.completed(...meanwhile);
    await s.prove();
  });

  test('node restarted from an older state again and again, in the middle of payments', async (t) => {
    const s = await startScenario(t, { env: { RELAYERS: '2' } });
    await s.calm();
    for (let round = 0; round < 3; round++) {
      const state = await s.faulty.evm.dump();
      const paid: Accepted[] = [];
      for (let i = 0; i < 10; i++) paid.push(await s.pay(i % 3, i + 1));
      await s.completed(paid[round]!);
      await s.faulty.restartFrom(state);
    }
    await s.prove();
  });

  test('transactions that wait while nothing is mined are paid once mining goes on', async (t) => {
    const s = await startScenario(t, { env: { IN_FLIGHT_WINDOW: '4' } });
    await s.faulty.stopMining();
    const paid = await Promise.all(Array.from({ length: 10 }, (_, i) => s.pay(i % 3, i + 1)));
    await eventually('the in-flight window is full', async () => (await s.faulty.waiting()).length === 4);
    const states = async () => (await Promise.all(paid.map((one) => s.movesOf(one)))).map((moves) => moves.at(-1));
    // The window limits broadcasting, not deciding.
    await eventually('that is noted', async () => (await states()).filter((to) => to === 'submitted').length === 4);
    assert.equal((await states()).filter((to) => to === 'approved').length, 6);
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });

  test('node restarted as an empty chain, before the contracts and the relayers’ ether', async (t) => {
    const s = await startScenario(t, { env: { RELAYERS: '2' } });
    const paid = [await s.pay(0, 100), await s.pay(1, 50)];
    await s.completed(...paid);
    paid.push(await s.spend(0, 30));
    await s.completed(...paid);
    await s.faulty.restartFrom(null);
    for (const { address } of await listRelayers(s.service.db)) {
      await s.faulty.evm.rpc('anvil_setBalance', [address, '0x3635c9adc5dea00000']);
    }
    for (const one of paid) {
      await eventually(
        'it is paid again',
        async () => (await s.movesOf(one)).filter((to) => to === 'completed').length === 2,
      );
    }
    await s.completed(await s.pay(2, 7));
    await s.prove();
  });

  test('an endpoint that lags behind is not a reorganisation', async (t) => {
    const s = await startScenario(t);
    await s.completed(await s.pay(0, 100));
    const state = await s.faulty.evm.dump();
    const paid = [await s.pay(1, 10), await s.spend(0, 20), await s.pay(2, 30)];
    await s.completed(...paid);
    const lagging = await s.faulty.startLagging(state);
    s.faulty.proxy.target(lagging.url);
    const meanwhile = await s.pay(0, 5);
    const before = s.faulty.proxy.requests;
    await eventually('the service has looked at it', () => s.faulty.proxy.requests > before + 30);
    s.faulty.proxy.target(s.faulty.evm.url);
    await s.completed(...paid, meanwhile);
    await s.prove();
    for (const one of [...paid, meanwhile]) {
      assert.equal((await s.movesOf(one)).filter((to) => to === 'completed').length, 1);
    }
    assert.equal(
      s.logged.some(({ message }) => /reorgani/.test(message)),
      false,
    );
  });
});
