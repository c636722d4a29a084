import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hexToBytes } from '../../src/base/hex.ts';
import { GWEI } from '../../src/chain/fees.ts';
import { readGasPercent } from '../../src/chain/learned-gas.ts';
import { readLearnedTip } from '../../src/chain/learned-tip.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { readCosts } from '../../src/chain/state.ts';
import { readTransaction } from '../../src/chain/transaction.ts';
import { reviewTip } from '../../src/settlement/tips.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { startSecondService } from '../kit/service/second-service.ts';

const ZERO = `0x${'0'.repeat(64)}` as const;

/** What of a receipt says what it cost, in wei: 100,000 gas at a price of 10. */
const costOf = async (fields: Record<string, string | undefined>) => {
  const receipt = { blockNumber: '0x1', blockHash: ZERO, gasUsed: '0x186a0', effectiveGasPrice: '0xa', ...fields };
  const rpc = { batch: async () => [{ kind: 'result', result: receipt }] } as unknown as Rpc;
  const [cost] = await readCosts(rpc, [ZERO as never]);
  return cost && [cost.feePaid, cost.rollupFee];
};

test('what a rollup asks for is a part of the cost, as receipts of each chain say it', async () => {
  assert.deepEqual(await costOf({}), [1_000_000n, 0n], 'Ethereum');
  assert.deepEqual(await costOf({ gasUsedForL1: '0xffff' }), [1_000_000n, 0n], 'Arbitrum counts it as gas');
  assert.deepEqual(await costOf({ l1Fee: '0x7' }), [1_000_007n, 7n], 'the OP Stack, and Scroll');
  const terms = { l1Fee: '0x7', operatorFeeScalar: '0x3e8', operatorFeeConstant: '0x2' };
  assert.deepEqual(await costOf(terms), [1_000_109n, 109n], 'since Isthmus');
  const jovian = { ...terms, daFootprintGasScalar: '0x190' };
  assert.deepEqual(await costOf(jovian), [10_001_000_009n, 10_000_000_009n], 'since Jovian');
  assert.deepEqual(await costOf({ l1Fee: '0x7', operatorFee: '0x3' }), [1_000_010n, 10n], 'a sum that is named');
});

test('a receipt without a price has that of its transaction, and is asked for again if nobody says it', async () => {
  const effectiveGasPrice = undefined;
  assert.deepEqual(await costOf({ effectiveGasPrice, gasPrice: '0xb' }), [1_100_000n, 0n]);
  assert.equal(await costOf({ effectiveGasPrice }), null);
});

/** All attempts at a payment, as they were signed. */
async function signedFor(s: Scenario, paid: Accepted) {
  const attempts = await s.attemptsOf(paid);
  return Promise.all(
    attempts.map(async ({ hash }) => {
      const [row] = await s.service.db.query<{ raw: Buffer }>('SELECT raw FROM transactions WHERE hash = $1', [
        Buffer.from(hexToBytes(hash)),
      ]);
      return readTransaction(row!.raw);
    }),
  );
}

/** From now on the node's pool refuses what `refusal` has words for. */
function setPool({ faulty }: Scenario, refusal: (transaction: ReturnType<typeof readTransaction>) => string | null) {
  faulty.proxy.pool = (raw) => {
    const refuses = refusal(readTransaction(Buffer.from(hexToBytes(raw))));
    return refuses === null ? null : { refuses };
  };
}

const payOne = async (s: Scenario, guest: number) => {
  const paid = await s.pay(guest, 10 + guest);
  await s.completed(paid);
  return paid;
};

describe('fees and gas of chains', { concurrency: 2 }, () => {
  test('gas that a chain needs beyond Ethereum’s is learned from one refusal, for all others and starts', async (t) => {
    const s = await startScenario(t);
    // As a recorded block of Arbitrum: the publishing alone.
    const least = 421_282n;
    setPool(s, ({ gas }) => (gas < least ? `intrinsic gas too low: gas ${gas}, minimum needed ${least}` : null));
    const [first, second] = [await payOne(s, 0), await payOne(s, 1)];
    assert.deepEqual(
      (await signedFor(s, first)).map(({ gas }) => gas > least),
      [false, true],
    );
    assert.deepEqual(
      (await signedFor(s, second)).map(({ gas }) => gas > least),
      [true],
      'it is learned',
    );
    assert.ok((await readGasPercent(s.service.db)) >= 351);
    await s.prove();
  });

  test('a refusal that names no gas is overcome with what the node estimates, or by halves', async (t) => {
    const s = await startScenario(t);
    setPool(s, ({ gas }) => (gas < 200_000n ? 'Gas limit too low' : null));
    const first = await signedFor(s, await payOne(s, 0));
    assert.ok(first.length <= 3, `${first.length} attempts`);
    assert.equal((await signedFor(s, await payOne(s, 1))).length, 1, 'it is learned');
    await s.prove();
  });

  test('an execution that runs out of gas raises the limit of the next transaction', async (t) => {
    const s = await startScenario(t);
    // Less than a payment takes here, as on a chain with other prices.
    Object.assign(s.service.settlement, { gasPercent: 40 });
    const signed = await signedFor(s, await payOne(s, 0));
    assert.deepEqual(
      signed.map(({ gas }) => gas),
      [48_000n, 120_000n],
    );
    assert.equal((await signedFor(s, await payOne(s, 1))).length, 1, 'it is learned');
    await s.prove();
  });

  test('a transaction costs no more than a node lets it, and all others neither', async (t) => {
    const s = await startScenario(t);
    const cap = 10n ** 15n;
    setPool(s, ({ gas, fees }) => {
      const fee = gas * fees.maxFeePerGas;
      return fee > cap
        ? `tx fee (${(Number(fee) / 1e18).toFixed(4)} ether) exceeds the configured cap (0.001 ether)`
        : null;
    });
    const [first, second] = [await signedFor(s, await payOne(s, 0)), await signedFor(s, await payOne(s, 1))];
    assert.deepEqual([first.length, second.length], [2, 1]);
    for (const { gas, fees } of [first[1]!, second[0]!]) assert.ok(gas * fees.maxFeePerGas <= cap);
    await s.prove();
  });

  test('a cap that a node has rounded to nothing, and one on gas, are found out', async (t) => {
    const s = await startScenario(t, { env: { TRANSFERS_PER_TRANSACTION: '1' } });
    const cap = 2n * 10n ** 15n;
    Object.assign(s.service.settlement, { gasPercent: 300 });
    setPool(s, ({ gas, fees }) => {
      if (gas > 200_000n) return `transaction gas limit too high (cap: 200000, tx: ${gas})`;
      return gas * fees.maxFeePerGas > cap ? 'tx fee (0.00 ether) exceeds the configured cap (0.00 ether)' : null;
    });
    await payOne(s, 0);
    const [{ gas, fees }] = (await signedFor(s, await payOne(s, 1))) as [ReturnType<typeof readTransaction>];
    assert.equal(gas, 200_000n);
    assert.ok(gas * fees.maxFeePerGas <= cap && fees.maxFeePerGas > 0n);
    await s.prove();
  });

  test('refused replacements raise what the protocol asks for, and teach nothing about others', async (t) => {
    const s = await startScenario(t);
    let refused = 0;
    setPool(s, () => (refused++ < 6 ? 'replacement transaction underpriced' : null));
    const signed = await signedFor(s, await payOne(s, 0));
    assert.ok(signed.length > 2);
    for (const [i, { fees }] of signed.slice(1).entries()) {
      const { maxFeePerGas, maxPriorityFeePerGas } = signed[i]!.fees;
      assert.ok(fees.maxFeePerGas <= (maxFeePerGas * 11n) / 10n + 1n);
      assert.ok(fees.maxPriorityFeePerGas <= (maxPriorityFeePerGas * 11n) / 10n + 1n);
    }
    await payOne(s, 1);
    assert.equal((await readLearnedTip(s.service.db)).wei, 0n);
    await s.prove();
  });

  test('without a setting the tip is what the node suggests, to the wei, and bounded above alone', async (t) => {
    const s = await startScenario(t);
    const tipFor = async (guest: number) => (await signedFor(s, await payOne(s, guest)))[0]!.fees.maxPriorityFeePerGas;
    for (const [suggested, offered] of [
      [1_000_000n, 1_000_000n],
      [7n, 7n],
      [30n * GWEI, 30n * GWEI],
      [10n ** 24n, 50n * GWEI],
    ] as const) {
      s.faulty.proxy.lie((method, result) =>
        method === 'eth_maxPriorityFeePerGas' ? `0x${suggested.toString(16)}` : result,
      );
      await reviewTip(s.service);
      assert.equal(await tipFor(0), offered);
      const { service } = await startSecondService(t, s, { rpcUrl: s.faulty.proxy.url });
      assert.equal(service.settlement.fees.maxPriorityFeePerGas, offered, 'of a command beside it');
    }
    const set = await startScenario(t, { env: { PRIORITY_FEE_GWEI: '0.0015' } });
    assert.equal((await signedFor(set, await payOne(set, 0)))[0]!.fees.maxPriorityFeePerGas, 1_500_000n);
    await set.prove();
    await s.prove();
  });
});
