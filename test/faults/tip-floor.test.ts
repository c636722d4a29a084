import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { asHash, bytesToHex, hexToBytes } from '../../src/base/hex.ts';
import { keccak256 } from '../../src/base/keccak.ts';
import { GWEI } from '../../src/chain/fees.ts';
import { readLearnedTip } from '../../src/chain/learned-tip.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readTransaction } from '../../src/chain/transaction.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import type { TransactionAttempt } from '../../src/settlement/tables/transaction-attempts.ts';
import { learnTip, reviewTip } from '../../src/settlement/tips.ts';
import { startEvm } from '../kit/service/evm.ts';
import { examined, saysOf, settingsOf } from '../kit/service/examined.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { startTestService } from '../kit/service/service.ts';
import type { PoolVerdict } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';
import { ageLearnedTip } from '../rows/learned-tip.ts';

const FLOOR = 25n * GWEI;
/** What the node does with less than the floor; `tip`: what was offered. */
type Below = (tip: bigint, raw: Buffer) => PoolVerdict;

/** As Polygon's nodes. */
const NAMED: Below = (tip) => ({
  refuses: `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${FLOOR}`,
});
const UNNAMED: Below = () => ({ refuses: 'transaction underpriced' });
const KEPT: Below = (_, raw) => ({ keeps: asHash(bytesToHex(keccak256(raw))) });

/** From now on the node's pool has a floor. */
function setFloor({ faulty }: Pick<Scenario, 'faulty'>, below: Below): void {
  faulty.proxy.pool = (hex) => {
    const raw = Buffer.from(hexToBytes(hex));
    const tip = readTransaction(raw).fees.maxPriorityFeePerGas;
    return tip < FLOOR ? below(tip, raw) : null;
  };
}

/** Of all payments: whether the first transaction for it offered what the chain asks for. Beside other work it may be replaced all the same. */
function offersFloor({ service, ...s }: Scenario, ...paid: Accepted[]): Promise<boolean[]> {
  return Promise.all(
    paid.map(async (one) => {
      const [{ hash }] = (await s.attemptsOf(one)) as [TransactionAttempt];
      const [row] = await service.db.query<{ raw: Buffer }>('SELECT raw FROM transactions WHERE hash = $1', [
        Buffer.from(hexToBytes(hash)),
      ]);
      return readTransaction(row!.raw).fees.maxPriorityFeePerGas >= FLOOR;
    }),
  );
}

/** The node knows what is usual on its chain: strangers' transactions have paid it. */
const usual = async ({ faulty }: Scenario, tip: bigint, count = 3) => {
  const { evm } = faulty;
  const [from] = (await evm.rpc('eth_accounts')) as string[];
  const fees = { maxPriorityFeePerGas: `0x${tip.toString(16)}`, maxFeePerGas: `0x${(tip * 10n).toString(16)}` };
  for (let i = 0; i < count; i++) {
    const head = await evm.rpc('eth_blockNumber');
    await evm.rpc('eth_sendTransaction', [{ from, to: from, value: '0x1', ...fees }]);
    await until('it is mined', async () => (await evm.rpc('eth_blockNumber')) !== head);
  }
};

async function payOneByOne(s: Scenario, count: number): Promise<Accepted[]> {
  const paid: Accepted[] = [];
  for (let i = 0; i < count; i++) {
    const one = await s.pay(i % 3, 10 + i);
    await s.completed(one);
    paid.push(one);
  }
  return paid;
}

const partOf = async (s: Scenario, part: string) =>
  (await readHealth(s.service)).checks.find((check) => check.part === part)!;

/** Another process on the same database, after the first has ended. */
async function payAfterRestart(t: TestContext, s: Scenario): Promise<bigint> {
  await s.stop();
  const again = await startTestService(t, {
    databaseUrl: s.databaseUrl,
    env: { MASTER_KEY: s.service.settings.masterKey!.toString('hex') },
    chain: { evm: s.faulty.evm, rpcUrls: [s.faulty.proxy.url] },
  });
  return again.service.settlement.fees.maxPriorityFeePerGas;
}

describe('a chain with a floor for tips', { concurrency: 3 }, () => {
  test('a floor that refusals name is learned by one transfer, once for all others and starts', async (t) => {
    const s = await startScenario(t, { env: { PRIORITY_FEE_GWEI: '1' } });
    setFloor(s, NAMED);
    const paid = await payOneByOne(s, 5);
    assert.deepEqual(await offersFloor(s, ...paid), [false, true, true, true, true]);
    assert.equal(s.logged.filter(({ message }) => /asks for a higher tip.*PRIORITY_FEE_GWEI/.test(message)).length, 1);
    const { state, says } = await partOf(s, 'Fees');
    assert.deepEqual([state, /tip of 25 gwei: .* PRIORITY_FEE_GWEI/.test(says)], ['good', true], says);
    const gas = saysOf(await examined(t, { ...settingsOf(s), PRIORITY_FEE_GWEI: '1' }), 'Gas');
    assert.match(gas, /^warning: The chain asks for a tip of 25 gwei.* Set PRIORITY_FEE_GWEI to 25\./);
    await s.prove();
    assert.equal(await payAfterRestart(t, s), FLOOR, 'the next start offers it at once');
  });

  test('a floor that refusals do not name is learned from what the node suggests and what was mined', async (t) => {
    const s = await startScenario(t, { env: { PRIORITY_FEE_GWEI: '1' } });
    await usual(s, 30n * GWEI);
    setFloor(s, UNNAMED);
    const [first] = await payOneByOne(s, 1);
    await until('it is learned', async () => (await readLearnedTip(s.service.db)).wei >= FLOOR);
    const later = await payOneByOne(s, 4);
    assert.deepEqual(await offersFloor(s, first!, ...later), [false, true, true, true, true]);
    await s.prove();
  });

  test('a tip below which the node keeps transactions silently is learned when a replacement is mined', async (t) => {
    const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '2', PRIORITY_FEE_GWEI: '1' } });
    setFloor(s, KEPT);
    const first = await s.pay(0, 10);
    await until('it is replaced and mined', async () => {
      // A node knows what is usual in its newest blocks only.
      await usual(s, 30n * GWEI, 1);
      return (await readLearnedTip(s.service.db)).wei >= FLOOR;
    });
    await s.completed(first);
    const later = await payOneByOne(s, 4);
    assert.deepEqual(await offersFloor(s, first, ...later), [false, true, true, true, true]);
    await s.prove();
  });

  for (const [what, below] of [
    ['refuses', NAMED],
    ['keeps silently', KEPT],
  ] as const)
    test(`without a base fee to pay, a tip that the node ${what} is raised to the floor, and to no more than the bound`, async (t) => {
      const node = await startEvm({ args: ['--no-mining', '--base-fee', '0'] });
      const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '2', MAX_FEE_PER_GAS_GWEI: '120' }, node });
      const { service } = s;
      // As BNB Smart Chain: a tip is all that gas costs.
      s.faulty.proxy.lie((method, result) => (method === 'eth_maxPriorityFeePerGas' ? '0x2faf080' : result));
      await reviewTip(service);
      assert.equal(service.settlement.fees.maxFeePerGas, GWEI / 20n + 64n * service.settlement.baseFeePerGas!);
      setFloor(s, below);
      const first = await s.pay(0, 10);
      await until('it is learned', async () => {
        if (below === KEPT) await usual(s, 30n * GWEI, 1);
        return (await readLearnedTip(service.db)).wei >= FLOOR;
      });
      await s.completed(first);
      const later = await payOneByOne(s, 2);
      assert.deepEqual(await offersFloor(s, first, ...later), [false, true, true]);
      assert.ok(service.settlement.fees.maxPriorityFeePerGas <= 30n * GWEI);
      await s.prove();
    });

  test('a node that names an absurd tip gets no more than a quarter of the ceiling, and its word is forgotten', async (t) => {
    const s = await startScenario(t, { env: { PRIORITY_FEE_GWEI: '1' } });
    const engine = s.service as Engine;
    await learnTip(engine, 10n ** 30n);
    assert.equal(engine.settlement.fees.maxPriorityFeePerGas, 50n * GWEI);
    const { state, remedy } = await partOf(s, 'Fees');
    assert.deepEqual([state, /MAX_FEE_PER_GAS_GWEI/.test(remedy!.says)], ['warning', true]);

    await reviewTip(engine);
    assert.equal(engine.settlement.fees.maxPriorityFeePerGas, 50n * GWEI, 'a moment later it counts');
    await ageLearnedTip(s.service.db, 11);
    await reviewTip(engine);
    const suggested = BigInt((await connectRpc([s.faulty.evm.url]).call('eth_maxPriorityFeePerGas', [])) as string);
    assert.ok(suggested <= GWEI, 'the node asks for little');
    assert.equal(engine.settlement.fees.maxPriorityFeePerGas, GWEI);
    await s.completed(await s.pay(0, 10));
    await s.prove();
  });
});
