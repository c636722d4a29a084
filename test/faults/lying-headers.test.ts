import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { checkNode } from '../../src/diagnostics/health/chain-checks.ts';
import { oneInTurn } from '../kit/run/turns.ts';
import { startEvm } from '../kit/service/evm.ts';
import { type Scenario, startScenario } from '../kit/service/scenario.ts';
import { type FaultProxy, type Lie, startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { HEADER_LIES, inHeaders, lieAboutHeaders } from '../kit/unit/node-lies.ts';
import { until } from '../kit/unit/until.ts';
import { readTransitions } from '../rows/transitions.ts';

type Log = { readonly topics: readonly string[]; readonly data: string };

const DEPOSIT = 777n;
const withoutDeposit = (logs: readonly Log[]) => logs.filter(({ data }) => data === '0x' || BigInt(data) !== DEPOSIT);

const KINDS: readonly { readonly group: string; readonly what: string; readonly lie: Lie }[] = [
  ...Object.keys(HEADER_LIES).map((name) => ({
    group: 'fields',
    what: `falsifies ${name} of its headers`,
    lie: lieAboutHeaders(name),
  })),
  {
    group: 'blooms',
    what: 'empties the blooms of some headers',
    lie: inHeaders((block, random) => (random() < 0.5 ? { ...block, logsBloom: HEADER_LIES.logsBloom!(null) } : block)),
  },
  {
    group: 'deposits',
    what: 'leaves out the logs of a deposit',
    lie: (method, result) => (method === 'eth_getLogs' ? withoutDeposit(result as Log[]) : result),
  },
  {
    group: 'deposits',
    what: 'leaves out the logs of a deposit, and in the receipts of its block',
    lie(method, result) {
      if (method === 'eth_getLogs') return withoutDeposit(result as Log[]);
      if (method !== 'eth_getBlockReceipts') return result;
      return (result as { logs: Log[] }[]).map((receipt) => ({ ...receipt, logs: withoutDeposit(receipt.logs) }));
    },
  },
];

const CASES = (['receipts', 'agreement'] as const).flatMap((proof) =>
  [
    { endpoints: 1, liar: 0, place: 'the only endpoint' },
    { endpoints: 2, liar: 0, place: 'the first of two endpoints' },
    { endpoints: 2, liar: 1, place: 'the last of two endpoints' },
    { endpoints: 3, liar: 0, place: 'the first of three endpoints' },
    { endpoints: 3, liar: 2, place: 'the last of three endpoints' },
  ].map((layout) => ({ proof, ...layout })),
);

async function start(t: TestContext, { proof, endpoints, liar }: (typeof CASES)[number]) {
  const node = await startEvm({ args: ['--no-mining'] });
  const proxies: FaultProxy[] = [];
  for (let i = 0; i < endpoints; i++) proxies.push(await startFaultProxy(t, node.url));
  const rpcUrls = proxies.map(({ url }) => url);
  const s = await startScenario(t, { rpcUrls, node, env: { CHAIN_PROOF: proof } });
  const outside = createUserKey(s.service.vault).address;
  await s.issue(outside, Number(DEPOSIT));
  return { s, liar: proxies[liar]!, outside };
}

/** Sends what the outside address has to a guest. */
async function deposit(s: Scenario, outside: string): Promise<void> {
  const words = [s.guests[0]!.address, `0x${DEPOSIT.toString(16)}`].map((word) => word.slice(2).padStart(64, '0'));
  await s.faulty.sendAs(outside, { to: s.service.chain.contracts.token, data: `0xa9059cbb${words.join('')}` });
}

/** Both say that following waits. */
async function isRed({ app, service }: Scenario): Promise<boolean> {
  const { chain } = (await app.inject('/readyz')).json<{ chain: string }>();
  return chain === 'unproven' && (await checkNode(service)).state === 'bad';
}

const hasDeposit = async ({ service, guests }: Scenario) =>
  (
    await service.db.query('SELECT FROM postings WHERE amount = $1 AND to_address = $2', [
      DEPOSIT,
      guests[0]!.address.toLowerCase(),
    ])
  ).length === 1;

describe('lying headers', { concurrency: 3 }, () => {
  for (const [group, kinds] of Map.groupBy(KINDS, (kind) => kind.group)) {
    const cases = kinds.flatMap((kind) => CASES.map((layout) => ({ ...kind, layout })));
    for (const { what, lie, layout } of oneInTurn(cases, `lies about ${group}`)) {
      const { proof, endpoints, place } = layout;
      test(`${place}, which ${what}, makes nothing wrong or stuck unseen (${proof})`, async (t) => {
        const { s, liar, outside } = await start(t, layout);
        // In one block: a node that has no log of a block contradicts its bloom.
        await s.faulty.stopMining();
        await deposit(s, outside);
        const paid = [await s.pay(1, 3), await s.pay(2, 4)];
        await until('all wait', async () => (await s.faulty.waiting()).length === 3);
        liar.lie(lie);
        s.faulty.startMining();
        paid.push(await s.pay(1, 5));
        const isPaid = async () => {
          const open = await s.service.db.query("SELECT FROM transfers WHERE status <> 'completed'");
          return open.length === 0 && (await hasDeposit(s));
        };
        // Two others, or one that proves what it says, are enough to go on.
        const mayWait = endpoints < (proof === 'receipts' ? 2 : 3);
        await until(
          'all is paid, or what waits is shown',
          async () => (await isPaid()) || (mayWait && (await isRed(s))),
        );
        liar.lie(null);
        await s.completed(...paid);
        await until('the deposit is there', () => hasDeposit(s));
        await s.prove({ outside: 1 });
        await until('nothing is waited for', async () => !(await isRed(s)));
        const takenBack = (await readTransitions(s.service.db, null)).filter(({ event }) => event === 'reorg');
        assert.deepEqual(takenBack, [], 'payments that were taken back');
      });
    }
  }
});
