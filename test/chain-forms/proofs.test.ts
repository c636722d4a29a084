import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { checkNode } from '../../src/diagnostics/health/chain-checks.ts';
import { startEvm } from '../kit/service/evm.ts';
import { type Scenario, startScenario } from '../kit/service/scenario.ts';
import { type FaultProxy, type Lie, startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';

// What proves a block is decided for each block. Here a real chain is given the forms of others by a proxy.

type Block = Readonly<Record<string, unknown>>;

const ZEROS = `0x${'0'.repeat(512)}`;
const ONES = `0x${'f'.repeat(512)}`;
const inHeaders =
  (change: (block: Block) => Block): Lie =>
  (method, result) =>
    method.startsWith('eth_getBlockBy') ? change(result as Block) : result;
const inReceipts =
  (change: (receipt: Block) => Block): Lie =>
  (method, result) =>
    method === 'eth_getBlockReceipts' ? (result as Block[]).map(change) : result;

/** A service on a chain of others, with so many endpoints. `prepare`: what they are like from the first call on. */
async function start(t: TestContext, endpoints: number, prepare: (proxy: FaultProxy, i: number) => void = () => {}) {
  const node = await startEvm({ args: ['--no-mining'] });
  const proxies: FaultProxy[] = [];
  for (let i = 0; i < endpoints; i++) {
    proxies.push(await startFaultProxy(t, node.url));
    prepare(proxies[i]!, i);
  }
  const rpcUrls = proxies.map(({ url }) => url);
  const s = await startScenario(t, { rpcUrls, node, env: { CHAIN_RPC_URL: rpcUrls.join() } });
  assert.equal(s.service.readiness.proof, 'auto');
  return { s, proxies };
}

const chainOf = async ({ app }: Scenario) => (await app.inject('/readyz')).json<{ chain: string }>().chain;

/** A stranger sends a guest quarters. */
async function deposit(s: Scenario, amount: number): Promise<void> {
  const outside = createUserKey(s.service.vault).address;
  await s.issue(outside, amount);
  const words = [s.guests[0]!.address, `0x${amount.toString(16)}`].map((word) => word.slice(2).padStart(64, '0'));
  await s.faulty.sendAs(outside, { to: s.service.chain.contracts.token, data: `0xa9059cbb${words.join('')}` });
  await until('the deposit is credited', async () => {
    const found = await s.service.db.query('SELECT FROM postings WHERE amount = $1 AND from_address = $2', [
      amount,
      outside.toLowerCase(),
    ]);
    return found.length === 1;
  });
}

describe('proofs', { concurrency: 2 }, () => {
  test('of blocks whose form is not known, an agreement vouches, and for the next one its header again', async (t) => {
    const { s, proxies } = await start(t, 1);
    const [only] = proxies as [FaultProxy];
    const { proven } = s.service.readiness;
    const less = () => proven.less?.blocks ?? 0;
    await s.completed(await s.pay(0, 1));
    const { headers, receipts, blooms, less: none } = proven;
    assert.deepEqual([headers, receipts, blooms, none], [true, true, true, null]);
    for (const [what, lie] of [
      ['a receipt of a new type', inReceipts((receipt) => ({ ...receipt, type: '0x55' }))],
      ['a header with a new field', inHeaders((block) => ({ ...block, newRoot: block.hash, stateRoot: block.hash }))],
    ] as const) {
      const before = less();
      only.lie(lie);
      await s.completed(await s.pay(0, 2), await s.pay(1, 3));
      assert.ok(less() > before, what);
      only.lie(null);
      const counted = less();
      await s.completed(await s.pay(2, 4));
      assert.equal(less(), counted, what);
    }
    assert.match(JSON.stringify(await checkNode(s.service)), /CHAIN_PROOF=agreement/);
    await s.prove();
  });

  test('what contradicts the forms that a chain has shown is not believed of one endpoint alone', async (t) => {
    const { s, proxies } = await start(t, 1);
    const [only] = proxies as [FaultProxy];
    await s.completed(await s.pay(0, 1));
    for (const [what, lie] of [
      ['a receipt', inReceipts((receipt) => ({ ...receipt, cumulativeGasUsed: '0x5209' }))],
      ['a header', inHeaders((block) => ({ ...block, timestamp: '0x1' }))],
    ] as const) {
      only.lie(lie);
      const paid = await s.pay(1, 2);
      await until(`${what} is waited for in red`, async () => (await chainOf(s)) === 'unproven');
      const { state, remedy } = await checkNode(s.service);
      assert.equal(state, 'bad');
      assert.match(remedy!.says, /CHAIN_PROOF=agreement/);
      only.lie(null);
      await s.completed(paid);
    }
    assert.equal(s.service.readiness.proven.less, null);
    await s.prove();
  });

  test('a node that always seems away when asked for receipts is waited for once, and not for each block', async (t) => {
    const { s, proxies } = await start(t, 1);
    const [only] = proxies as [FaultProxy];
    await s.completed(await s.pay(0, 1));
    let asked = 0;
    only.gateway = (calls) => {
      if (!calls.some(({ method }) => method === 'eth_getBlockReceipts')) return null;
      asked++;
      return { status: 403, body: 'Forbidden' };
    };
    await s.completed(await s.pay(0, 2));
    const first = asked;
    // At least two rounds, the second after some seconds. Each further block takes one.
    await s.completed(await s.pay(1, 3));
    await s.completed(await s.pay(2, 4));
    assert.ok(asked - first <= first, `asked ${first} times, then ${asked - first} times`);
    only.gateway = null;
    await s.completed(await s.pay(0, 5));
    assert.equal(s.service.readiness.proven.unanswered, null);
    await s.prove();
  });

  for (const endpoints of [1, 2]) {
    test(`a chain whose headers do not show its logs is followed, deposits too (${endpoints} endpoints)`, async (t) => {
      const { s, proxies } = await start(t, endpoints, (proxy) =>
        proxy.lie(inHeaders((block) => ({ ...block, logsBloom: ZEROS }))),
      );
      await s.completed(await s.pay(0, 1), await s.pay(1, 2));
      await deposit(s, 777);
      // Each header has the bloom of another block, the empty ones too (zksync-era#4580).
      for (const proxy of proxies)
        proxy.lie(inHeaders((block) => ({ ...block, logsBloom: ONES, l1BatchNumber: null })));
      await s.faulty.mine(3);
      await s.completed(await s.pay(0, 3));
      await deposit(s, 778);
      assert.equal(s.service.readiness.unproven, null);
      await s.prove({ outside: 2 });
    });
  }

  for (const endpoints of [1, 2]) {
    test(`a start needs no logs of the first endpoint, and a rate limit decides nothing (${endpoints} endpoints)`, async (t) => {
      let limited = 3;
      const { s } = await start(t, endpoints, (proxy, i) => {
        proxy.gateway = (calls) => {
          if (calls.some(({ method }) => method === 'eth_blockNumber')) return null;
          if (i === 0 && calls.some(({ method }) => method === 'eth_getLogs')) {
            const error = { code: -32_005, message: 'limit exceeded' };
            const refused = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
            return { status: 200, body: JSON.stringify(refused) };
          }
          const isLimited = calls.some(({ method }) => method === 'eth_getBlockReceipts') && limited-- > 0;
          return isLimited ? { status: 429, headers: { 'retry-after': '0' }, body: '' } : null;
        };
      });
      await s.completed(await s.pay(0, 1), await s.pay(1, 2));
      assert.ok(limited < 3);
      assert.equal(s.service.readiness.proven.less, null);
      await s.prove();
    });
  }
});
