import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { hashColumn } from '../../src/db/columns.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { gasCounter } from '../../src/settlement/count-gas.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { readGasDays } from '../../src/settlement/tables/gas-days.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { ageTransactions, insertConsumedRows, insertMinedAttempts } from '../rows/transfers.ts';

const FOREIGN = asAddress(`0x${'ab'.repeat(20)}`);
const NO_TRANSFER = '00000000-0000-7000-8000-000000000000';

/** All that is counted so far, together. */
async function gasOf({ service }: TestService) {
  const days = await readGasDays(service.db, 'day', new Date(0), new Date(Date.UTC(9999)));
  const sum = (name: 'transactions' | 'transfers' | 'unknown') => days.reduce((all, day) => all + day[name], 0);
  return {
    ...{ transactions: sum('transactions'), transfers: sum('transfers'), unknown: sum('unknown') },
    gas: days.reduce((all, { gas }) => all + gas, 0n),
    wei: days.reduce((all, { wei }) => all + wei, 0n),
  };
}

/** What the node says that our transactions have cost. */
async function receiptsOf({ service, evm }: TestService) {
  const { query } = service.db;
  const sent = await query<{ hash: string }>(`SELECT ${hashColumn('hash')} AS hash FROM transactions`);
  const [{ transfers } = { transfers: 0 }] = await query<{ transfers: number }>(
    `SELECT count(*)::integer AS transfers FROM transfers WHERE status = 'completed'`,
  );
  type Receipt = { gasUsed: string; effectiveGasPrice: string } | null;
  const receipts = await Promise.all(
    sent.map(({ hash }) => evm.rpc('eth_getTransactionReceipt', [hash]) as Promise<Receipt>),
  );
  const mined = receipts.flatMap((receipt) =>
    receipt ? [{ gas: BigInt(receipt.gasUsed), wei: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) }] : [],
  );
  return {
    ...{ transactions: mined.length, transfers, unknown: 0 },
    gas: mined.reduce((all, { gas }) => all + gas, 0n),
    wei: mined.reduce((all, { wei }) => all + wei, 0n),
  };
}

/** Counts all there is, in two processes at once. */
async function countAll(service: Engine): Promise<void> {
  const counters = [gasCounter(service), gasCounter(service)];
  while ((await Promise.all(counters.map((count) => count()))).some(Boolean));
}

test('what relayers paid is what the receipts of their final transactions say, each once', async (t) => {
  const s = await startTestService(t, { env: { FINAL_AFTER: '3' } });
  const app = await s.createApp();
  const { userId } = await s.createGuest(app);
  await s.issue(app.id, 50);
  for (const amount of [1, 2]) {
    await payUser(s.service, asApp(app.id), { from: asAddress(app.address), user: userId, amount });
  }
  await s.settled();
  await s.evm.rpc('anvil_mine', ['0x5']);
  const head = BigInt((await s.evm.rpc('eth_blockNumber', [])) as string);
  const engine = { ...s.service, settlement: { ...s.service.settlement, head } } as Engine;
  await countAll(engine);
  const expected = await receiptsOf(s);
  assert.ok(expected.transfers >= 3 && expected.wei > 0n);
  assert.deepEqual(await gasOf(s), expected);
  await countAll(engine);
  assert.deepEqual(await gasOf(s), expected);
});

test('a transaction without a receipt is asked for again for a day, and then counts as unknown', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const settlement = { ...s.service.settlement, head: 1_000n, leases: [{ address: FOREIGN }] };
  const engine = { ...s.service, settlement } as unknown as Engine;
  const createdAt = new Date();
  await insertMinedAttempts(
    db,
    NO_TRANSFER,
    [0, 1].map((nonce) => ({ relayer: FOREIGN, nonce, createdAt })),
  );
  await insertConsumedRows(db, [{ relayer: FOREIGN, below: 2 }]);
  const { unknown } = await gasOf(s);
  await countAll(engine);
  assert.equal((await gasOf(s)).unknown, unknown);
  await ageTransactions(db, '25 hours');
  await countAll(engine);
  await countAll(engine);
  assert.equal((await gasOf(s)).unknown, unknown + 2);
});
