import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listRelayers } from '../../src/chain/relayers.ts';
import { listChainEndpoints, surveyEndpoints } from '../../src/settlement/survey-chain-endpoints.ts';
import { oneInTurn } from '../kit/run/turns.ts';
import { startEvm } from '../kit/service/evm.ts';
import { submitted } from '../kit/service/provoking.ts';
import { type Accepted, startScenario } from '../kit/service/scenario.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';

describe('a node that forgets', { concurrency: 4 }, () => {
  test('transfers are paid after the node evicts its whole pool', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    await submitted(s, paid);
    await s.faulty.evm.rpc('anvil_dropAllTransactions');
    s.faulty.startMining();
    await s.completed(...paid);
    await s.prove();
  });

  test('transfers are paid after the node restarts from an older state', async (t) => {
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
    await until('all are paid again', async () => (await s.movesOf(forgotten.at(-1)!)).length === 6);
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

  const places = [
    [1, ''],
    [2, ', behind two endpoints'],
  ] as const;
  for (const [endpoints, where] of oneInTurn(places, 'endpoints of an empty chain')) {
    test(`transfers are paid after the node restarts as an empty chain, without contracts and ether${where}`, async (t) => {
      const s = await startScenario(t, { env: { RELAYERS: '2' }, endpoints });
      const paid = [await s.pay(0, 100), await s.pay(1, 50)];
      await s.completed(...paid);
      paid.push(await s.spend(0, 30));
      await s.completed(...paid);
      await s.faulty.restartFrom(null);
      for (const { address } of await listRelayers(s.service.db)) {
        await s.faulty.evm.rpc('anvil_setBalance', [address, '0x3635c9adc5dea00000']);
      }
      for (const one of paid) {
        await until(
          'it is paid again',
          async () => (await s.movesOf(one)).filter((to) => to === 'completed').length === 2,
        );
      }
      await s.completed(await s.pay(2, 7));
      await s.prove();
    });
  }

  test('a node that comes back with an older state and mines on is left for the endpoint that is whole', async (t) => {
    const node = await startEvm({ args: ['--no-mining'] });
    atEnd(t, () => node.stop());
    const [first, second] = [await startFaultProxy(t, node.url), await startFaultProxy(t, node.url)];
    const s = await startScenario(t, { rpcUrls: [first.url, second.url], node });
    await s.completed(await s.pay(0, 10));
    const state = await node.dump();
    const paid = [await s.pay(1, 10), await s.pay(0, 20), await s.spend(0, 5)];
    await s.completed(...paid);
    const older = await s.faulty.startLagging(state);
    first.target(older.url);
    paid.push(await s.pay(2, 30));
    // Its blocks take the place of ours. It has no more of them: one that is ahead may be right.
    const height = async ({ rpc }: Pick<typeof older, 'rpc'>) => Number(await rpc('eth_blockNumber'));
    await older.rpc('anvil_mine', [`0x${((await height(node)) - (await height(older))).toString(16)}`]);
    await until('the first is left', () => s.service.rpc.endpoints!.chosen.number === 2);
    paid.push(await s.pay(0, 40));
    await s.completed(...paid);
    await surveyEndpoints(s.service);
    const [left] = listChainEndpoints(s.service);
    assert.ok(left!.state === 'forked' || left!.state === 'behind', left!.state);
    await s.prove();
    for (const one of paid) assert.equal((await s.movesOf(one)).filter((to) => to === 'completed').length, 1);
    assert.ok(!s.logged.some(({ message }) => /was reorganised|deeper than/.test(message)));
  });

  test('an endpoint that lags behind is not taken for a reorganisation', async (t) => {
    const s = await startScenario(t);
    await s.completed(await s.pay(0, 100));
    const state = await s.faulty.evm.dump();
    const paid = [await s.pay(1, 10), await s.spend(0, 20), await s.pay(2, 30)];
    await s.completed(...paid);
    const lagging = await s.faulty.startLagging(state);
    s.faulty.proxy.target(lagging.url);
    const meanwhile = await s.pay(0, 5);
    const before = s.faulty.proxy.requests;
    await until('the service has looked at it', () => s.faulty.proxy.requests > before + 30);
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
