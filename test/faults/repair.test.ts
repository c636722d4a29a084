import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { planRepair, repairLedger } from '../../src/features/repair/repair-ledger.ts';
import { findAccounts } from '../../src/ledger/accounts.ts';
import { readCursor } from '../../src/ledger/blocks.ts';
import { findTransfers, nonceOf } from '../../src/settlement/tables/transfers.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts } from '../rows/ledger.ts';

type Log = { readonly topics: readonly string[]; readonly data: string; readonly logIndex: string };
type Mined = { readonly blockNumber: string };
type Report = { readonly equal: boolean; readonly block: number; readonly differences: readonly { kind: string }[] };

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';
const quantity = (value: number | bigint) => `0x${value.toString(16)}`;
const isPayment = ({ topics }: Log) => topics[0] === TRANSFER;

async function audit(
  { service }: Pick<TestService, 'service'>,
  ...args: string[]
): Promise<Report & { code: number; said: string }> {
  const { code, out: json, err: said } = await runCommand(service, 'audit', '--json', ...args);
  return { ...(json === '' ? { equal: false, block: 0, differences: [] } : (JSON.parse(json) as Report)), code, said };
}

/** What a node that is believed says of the logs that it has, and what has to be wrong then. */
const LIES: Readonly<Record<string, { lie: (logs: readonly Log[]) => Log[]; differs: readonly string[] }>> = {
  'leaves payments out': {
    lie: (logs) =>
      logs.filter((log, i) => !isPayment(isPayment(log) ? log : (logs[i + 1] ?? log)) || isSmall(log, logs[i + 1])),
    differs: ['balance', 'settled'],
  },
  'gives other amounts': {
    lie: (logs) => logs.map((log) => (isPayment(log) ? { ...log, data: word(BigInt(log.data) + 1n) } : log)),
    differs: ['balance', 'unpaid'],
  },
  'invents payments': {
    lie: (logs) => {
      const paid = logs.findLast(isPayment);
      return paid ? [...logs, { ...paid, logIndex: quantity(Number(logs.at(-1)!.logIndex) + 1) }] : [...logs];
    },
    differs: ['balance', 'undecided'],
  },
};
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const isSmall = (log: Log, next: Log | undefined) => BigInt((isPayment(log) ? log : next!).data) < 5n;

const kindsOf = ({ differences }: Report) => [...new Set(differences.map(({ kind }) => kind))];

for (const [what, { lie, differs }] of Object.entries(LIES)) {
  test(`a ledger that followed a node which ${what} is equal after its repair`, async (t) => {
    const s = await startScenario(t, { env: { CHAIN_PROOF: 'node' } });
    const before = await audit(s);
    assert.equal(before.equal, true);
    s.faulty.proxy.lie((method, result) => (method === 'eth_getLogs' ? lie(result as Log[]) : result));
    // All in one block: of one whose payments were all left out the receipts are asked for, and show it.
    await s.faulty.stopMining();
    const paid = await Promise.all(Array.from({ length: 9 }, (_, i) => s.pay(i % 3, 1 + i)));
    await until('all wait', async () => {
      const waiting = new Set((await s.faulty.waiting()).map(({ hash }) => hash));
      return paid.every(({ txHash }) => waiting.has(txHash));
    });
    s.faulty.startMining();
    await s.completed(...paid.slice(0, 4), await s.pay(0, 1));
    s.faulty.proxy.lie(null);

    const wrong = await audit(s);
    assert.equal(wrong.code, 1);
    for (const kind of differs) assert.ok(kindsOf(wrong).includes(kind), `${kindsOf(wrong)} without ${kind}`);
    const repaired = await audit(s, '--repair', '--yes');
    assert.deepEqual([repaired.code, repaired.differences], [0, []], repaired.said);
    await s.prove();
  });
}

/** Two transfers: one is mined, and a node that is believed says that the other, which it never got, is settled in the same block. */
async function settleTooEarly(t: TestContext) {
  const s = await startScenario(t, { env: { CHAIN_PROOF: 'node' } });
  await s.faulty.stopMining();
  const mined = await s.pay(0, 3);
  await until('one waits', async () => (await s.faulty.waiting()).length === 1);
  s.faulty.proxy.inject({ fault: 'lose-call', method: 'eth_sendRawTransaction' });
  const early = await s.pay(1, 4);
  const nonce = nonceOf((await findTransfers(s.service.db, [early.transferId]))[0]!);
  s.faulty.proxy.lie((method, result) => {
    const logs = result as Log[];
    const used = method === 'eth_getLogs' && logs.find(({ topics }) => topics[0] === USED);
    if (!used) return result;
    const topics = [...used.topics.slice(0, 2), nonce];
    return [...logs, { ...used, topics, logIndex: quantity(Number(logs.at(-1)!.logIndex) + 1) }];
  });
  s.faulty.startMining();
  await s.completed(mined, early);
  s.faulty.proxy.lie(null);
  return { s, early };
}

test('a transfer that counts as settled too early is settled where the chain has it', async (t) => {
  const { s, early } = await settleTooEarly(t);
  s.faulty.proxy.heal();
  const { equal, differences } = await audit(s, '--repair', '--yes');
  assert.deepEqual([equal, differences], [true, []]);
  await s.completed(early);
  assert.deepEqual((await s.movesOf(early)).slice(-3), ['completed', 'submitted', 'completed']);
  await s.prove();
});

test('a transfer that the chain settles between reading and correcting is settled by the correction', async (t) => {
  const { s, early } = await settleTooEarly(t);
  const plan = await planRepair(s.service, await auditLedger(s.service), null);
  s.faulty.proxy.heal();
  await until('the ledger has the block that pays it', async () => {
    const receipt = await s.faulty.evm.rpc('eth_getTransactionReceipt', [early.txHash]);
    const cursor = await readCursor(s.service.db);
    return receipt !== null && cursor !== null && cursor.number >= BigInt((receipt as Mined).blockNumber);
  });
  await repairLedger(s.service, plan);
  assert.equal((await findTransfers(s.service.db, [early.transferId]))[0]!.status, 'completed');
  assert.deepEqual((await auditLedger(s.service)).differences, []);
  assert.deepEqual((await s.movesOf(early)).slice(-3), ['completed', 'submitted', 'completed']);
  await s.prove();
});

test('a balance that is not the sum of its postings is corrected by the difference', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 50);
  await changeAccounts(s.service.db, { address: app.address.toLowerCase() }, { posted: 57 });
  const refused = await audit(s, '--repair');
  assert.equal(refused.code, 2, 'without a terminal, nothing is done');
  assert.match(refused.said, /Balances that are not the sum of their postings +1/);
  assert.equal((await audit(s)).equal, false);
  assert.equal((await audit(s, '--repair', '--yes')).equal, true);
  const [account] = await findAccounts(s.service.db, { apps: [app.id] });
  assert.equal(account!.posted, 50n);
});
