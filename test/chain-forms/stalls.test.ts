import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFigures } from '../../src/diagnostics/audit/read-figures.ts';
import { checkNode } from '../../src/diagnostics/health/chain-checks.ts';
import { checkTransfers } from '../../src/diagnostics/health/settlement-checks.ts';
import { checkWork } from '../../src/diagnostics/health/work-checks.ts';
import { readSaid } from '../../src/membership/processes.ts';
import { isStandstill } from '../../src/settlement/tables/standstill.ts';
import { type Scenario, startScenario } from '../kit/service/scenario.ts';
import type { FaultProxy } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';
import { changePostings } from '../rows/ledger.ts';
import { earlier } from '../rows/times.ts';
import { ageOpenTransfers, ageTransfers } from '../rows/transfers.ts';

const AGO_MS = 60_000;

/** Waits until a loop fails in these words, and lets it have failed for a minute. It keeps when it began. */
async function failing({ service }: Scenario, loop: string, words: RegExp): Promise<void> {
  await until(`the loop "${loop}" fails`, () => words.test(service.loopFaults.get(loop)?.reason ?? ''));
  const since = new Date(Date.now() - AGO_MS);
  service.loopFaults.set(loop, { ...service.loopFaults.get(loop)!, since });
}

/** As a command beside the service sees it. */
const beside = ({ service }: Scenario) => ({
  ...service,
  self: { ...service.self, id: 'a command' },
  loopFaults: new Map(),
  readiness: { ...service.readiness, unproven: null },
});

const CASES: readonly { what: string; loop: string; words: RegExp; prepare(proxy: FaultProxy): void }[] = [
  {
    what: 'a node that takes no transaction of ours',
    loop: 'broadcast',
    words: /transaction type not supported/,
    prepare: (proxy) => {
      proxy.pool = () => ({ refuses: 'transaction type not supported' });
    },
  },
  {
    what: 'a relayer that lacks ether, in words of zkSync',
    loop: 'broadcast',
    words: /Failed to pay the fee to the operator/,
    prepare: (proxy) => {
      const refuses =
        'failed to validate the transaction. reason: Validation revert: Failed to pay the fee to the operator';
      proxy.pool = () => ({ refuses });
    },
  },
  {
    what: 'a node that refuses headers',
    loop: 'follow',
    words: /historical state is not available/,
    prepare: (proxy) => {
      proxy.gateway = (calls) => {
        if (!calls.some(({ method }) => method === 'eth_getBlockByNumber')) return null;
        const error = { code: -32_000, message: 'historical state is not available' };
        return { status: 200, body: JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))) };
      };
    },
  },
];

describe('a stall is never green', { concurrency: 2 }, () => {
  for (const { what, loop, words, prepare } of CASES) {
    test(`${what}: Health has its words, for the service and for commands`, async (t) => {
      const s = await startScenario(t);
      assert.equal((await checkWork(s.service)).state, 'good');
      prepare(s.faulty.proxy);
      const paid = await s.pay(0, 5);
      await failing(s, loop, words);
      await until('the others know it', async () =>
        [...(await readSaid(s.service.db)).values()].some(({ troubles }) => troubles?.some(({ of }) => of === loop)),
      );
      for (const service of [s.service, beside(s)]) {
        const { state, says } = await checkWork(service as typeof s.service);
        assert.equal(state, 'bad');
        assert.match(says, words);
      }
      assert.equal((await readFigures(s.service)).failingLoops, 1);
      Object.assign(s.faulty.proxy, { pool: null, gateway: null });
      await s.completed(paid);
      await until('nothing fails', async () => (await checkWork(s.service)).state === 'good');
      await s.prove();
    });
  }

  test('transfers of which none completes for much longer than usual are red, whatever stops them', async (t) => {
    const s = await startScenario(t);
    const { db } = s.service;
    const health = async () => (await checkTransfers(s.service)).state;
    const standing = async () => isStandstill((await readFigures(s.service)).completing!);
    await s.completed(await s.pay(0, 1), await s.pay(1, 2));
    await ageTransfers(db, '1 hour');
    // Long before is nothing.
    assert.deepEqual([await health(), await standing()], ['good', false]);
    s.faulty.proxy.pool = () => ({ refuses: 'nobody knows why' });
    const waiting = await s.pay(0, 3);
    await ageTransfers(db, '50 s');
    assert.deepEqual([await health(), await standing()], ['good', false]);
    await ageTransfers(db, '15 s');
    assert.deepEqual([await health(), await standing()], ['bad', true]);
    assert.match(
      (await checkTransfers(s.service)).says,
      /none has completed for 1 minute. They usually take 1 second\./,
    );
    // What is usual here takes 25 seconds.
    await changePostings(db, {}, { postedAt: earlier('postedAt', '-25 s') });
    assert.deepEqual([await health(), await standing()], ['good', false]);
    await ageTransfers(db, '15 s');
    assert.deepEqual([await health(), await standing()], ['bad', true]);
    // One that later ones have overtaken waits alone, for the operator.
    await ageOpenTransfers(db, '2 hours');
    assert.equal(await standing(), false);
    s.faulty.proxy.pool = null;
    await s.completed(waiting);
    assert.equal(await standing(), false);
    await s.prove();
  });

  test('a block that nobody proves is named to commands too', async (t) => {
    const s = await startScenario(t, { env: { CHAIN_PROOF: 'receipts' } });
    s.faulty.proxy.lie((method, result) =>
      method === 'eth_getBlockReceipts' ? (result as object[]).map((one) => ({ ...one, status: '0x0' })) : result,
    );
    const paid = await s.pay(0, 5);
    await until('it waits', () => s.service.readiness.unproven !== null);
    await until('a command says so', async () => (await checkNode(beside(s) as typeof s.service)).state === 'bad');
    s.faulty.proxy.lie(null);
    await s.completed(paid);
    await s.prove();
  });
});
