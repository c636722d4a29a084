import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { startEvm } from '../kit/service/evm.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type FaultRule, startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';

const SEND = 'eth_sendRawTransaction';

/** Pays `count` times, partly at once, so that batches hold several transactions. */
async function payMany(s: Scenario, count: number): Promise<Accepted[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => s.pay(i % s.guests.length, i + 1)));
}

test('transfers are paid once, whatever goes wrong with a reply of the node', async (t) => {
  const s = await startScenario(t);
  const { proxy } = s.faulty;
  const whenSending: [string, FaultRule][] = [
    ['reply lost after the node took it', { fault: 'lose-reply', method: SEND, times: 2 }],
    ['request lost before the node had it', { fault: 'lose-call', method: SEND, times: 2 }],
    ['request arrives twice', { fault: 'duplicate', method: SEND, times: 3 }],
    ['reply comes late', { fault: 'delay', method: SEND, times: 3 }],
    ['429 too many requests', { fault: 'http-429', method: SEND, times: 2 }],
    ['5xx from the node', { fault: 'http-500', method: SEND, times: 2 }],
    ['reply is a web page', { fault: 'not-json', method: SEND, times: 2 }],
    ['reply is JSON of another shape', { fault: 'wrong-shape', method: SEND, times: 2 }],
    ['reply breaks off in the middle', { fault: 'half-body', method: SEND, times: 2 }],
    ['replies of a batch come in another order', { fault: 'shuffle-replies', method: SEND, times: 2 }],
    ['some replies of a batch are missing', { fault: 'partial-replies', method: SEND, times: 2 }],
    ['some transactions of a batch are answered with an error', { fault: 'item-errors', method: SEND, times: 2 }],
  ];
  for (const [name, rule] of whenSending) {
    await t.test(name, async () => {
      const before = proxy.struck(rule.fault);
      proxy.inject(rule);
      const paid = await payMany(s, 12);
      await s.completed(...paid);
      assert.ok(proxy.struck(rule.fault) > before, 'the fault was provoked');
      proxy.heal();
    });
  }
  for (const fault of ['lose-reply', 'http-500', 'not-json', 'wrong-shape', 'half-body', 'item-errors'] as const) {
    await t.test(`repeated faults while reading the chain: ${fault}`, async () => {
      const before = proxy.struck(fault);
      proxy.inject({ fault, rate: 0.3, times: 6 });
      await s.completed(...(await payMany(s, 6)));
      // The service keeps reading when all is paid, so a fault that chance has spared so far is still to come.
      await until('all six faults were provoked', () => proxy.struck(fault) === before + 6);
      proxy.heal();
    });
  }
  await s.prove();
});

describe('the network', { concurrency: 3 }, () => {
  test('transactions that the node took without a reply in time are paid once', async (t) => {
    const s = await startScenario(t);
    s.faulty.proxy.inject({ fault: 'hang', method: SEND, times: 1 });
    const paid = await payMany(s, 20);
    await s.completed(...paid);
    assert.equal(s.faulty.proxy.struck('hang'), 1);
    await s.prove();
  });

  test('the second endpoint takes over from a failing one, and back', async (t) => {
    const node = await startEvm({ args: ['--no-mining'] });
    atEnd(t, () => node.stop());
    const first = await startFaultProxy(t, node.url);
    const second = await startFaultProxy(t, node.url);
    const s = await startScenario(t, { rpcUrls: [first.url, second.url], node });
    await s.completed(await s.pay(0, 1));
    assert.equal(s.service.rpc.endpoints!.chosen.number, 1, 'the first is preferred');
    first.reachable = false;
    await s.completed(...(await payMany(s, 10)));
    assert.equal(s.service.rpc.endpoints!.chosen.number, 2);
    second.inject({ fault: 'http-429' });
    first.reachable = true;
    await s.completed(...(await payMany(s, 10)));
    second.heal();
    await s.prove();
  });

  test('transfers accepted while the node is away are paid when it returns', async (t) => {
    const s = await startScenario(t);
    const { proxy } = s.faulty;
    proxy.reachable = false;
    const paid = await payMany(s, 10);
    const refused = s.pay(0, 200_000);
    await assert.rejects(refused, { code: 'insufficient-quarters' });
    const during = proxy.requests;
    await until('the service has tried in vain', () => proxy.requests > during + 5);
    for (const one of paid) assert.deepEqual(await s.movesOf(one), ['approved']);
    await s.faulty.stopMining();
    proxy.reachable = true;
    for (const one of paid) await until('it is sent', async () => (await s.movesOf(one)).at(-1) === 'submitted');
    s.faulty.startMining();
    await s.completed(...paid);
    for (const one of paid) assert.deepEqual(await s.movesOf(one), ['approved', 'submitted', 'completed']);
    await s.prove();
  });

  test('many transfers are paid once while the network loses 5 % of all messages', async (t) => {
    const seed = seedOf('faults');
    t.diagnostic(`FAULT_SEED=${seed}`);
    const s = await startScenario(t, { seed, guests: 8, env: { RELAYERS: '3', IN_FLIGHT_WINDOW: '64' } });
    const { proxy } = s.faulty;
    for (const fault of ['lose-reply', 'lose-call'] as const) proxy.inject({ fault, rate: 0.05 });
    for (const fault of ['half-body', 'http-429', 'http-500', 'not-json', 'wrong-shape'] as const)
      proxy.inject({ fault, rate: 0.01 });
    for (const fault of ['duplicate', 'shuffle-replies', 'partial-replies', 'item-errors'] as const)
      proxy.inject({ fault, rate: 0.02 });
    const waves = perTier({ usual: 2, all: 20 });
    const decided: Promise<unknown>[] = [];
    // Chance decides how often the network fails, so payments continue until that was often enough.
    for (let wave = 0; wave < waves || proxy.struck() <= waves; wave++) {
      for (let i = 0; i < 20; i++) decided.push(s.pay((wave + i) % 8, wave < waves ? 1 + ((wave * 20 + i) % 97) : 1));
      decided.push(assert.rejects(s.pay(0, 1_000_000), { code: 'insufficient-quarters' }));
      await Promise.all(decided);
    }
    await s.completed(...((await Promise.all(decided)).filter(Boolean) as Accepted[]));
    t.diagnostic(`${proxy.struck()} faults in ${proxy.requests} requests`);
    await s.prove();
  });
});
