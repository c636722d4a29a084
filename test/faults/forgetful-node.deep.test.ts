import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { submitted } from '../kit/service/provoking.ts';
import { type Accepted, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';

describe('a forgetful node, again', { concurrency: 4 }, () => {
  test('transfers are paid after the node evicts one transaction from its pool', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    await submitted(s, paid);
    await s.faulty.evm.rpc('anvil_dropTransaction', [paid[1]!.txHash]);
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });

  test('transfers are paid after the node restarts from an older state and mines nothing for a while', async (t) => {
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
    await until('the node has all transactions again', async () => (await s.faulty.waiting()).length === 5);
    s.faulty.startMining();
    await s.completed(...meanwhile);
    await s.prove();
  });

  test('transfers are paid after the node restarts from an older state several times during payments', async (t) => {
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

  test('transactions that wait while nothing is mined are paid when mining resumes', async (t) => {
    const s = await startScenario(t, { env: { IN_FLIGHT_WINDOW: '4' } });
    await s.faulty.stopMining();
    const paid = await Promise.all(Array.from({ length: 10 }, (_, i) => s.pay(i % 3, i + 1)));
    await until('the in-flight window is full', async () => (await s.faulty.waiting()).length === 4);
    const states = async () => (await Promise.all(paid.map((one) => s.movesOf(one)))).map((moves) => moves.at(-1));
    // The window limits broadcasting, not deciding.
    await until('it is marked as sent', async () => (await states()).filter((to) => to === 'submitted').length === 4);
    assert.equal((await states()).filter((to) => to === 'approved').length, 6);
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });
});
