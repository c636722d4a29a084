import assert from 'node:assert/strict';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { listArchivedMonths } from '../../src/ledger/archived-months.ts';
import type { Service } from '../../src/service/service.ts';
import { type MovedMonth, moveMonth } from '../../src/wings/archive/features/move-months.ts';
import { DAYS_AFTER_END, endOf, planMonths } from '../../src/wings/archive/features/plan-months.ts';
import type { Scenario } from '../kit/service/scenario.ts';

/** Blocks are final soon. The service does not audit in its own time, because a month is moved, detached and attached only beside no audit. */
export const FINAL = { env: { FINAL_AFTER: '1', AUDIT_EVERY_SECONDS: '0' } };

const DAY_MS = 24 * 60 * 60 * 1000;
const TESTS_TAKE_MS = 15 * 60 * 1000;

/** When the month of what a test pays now can be archived, and no later one. */
export const inTime = () =>
  new Date(endOf(new Date().toISOString().slice(0, 7)).getTime() + (DAYS_AFTER_END + 1) * DAY_MS);

/** Why a test that detaches the month it pays in does not run: payments of two months are in two files. */
export const MONTH_ENDS =
  endOf(new Date().toISOString().slice(0, 7)).getTime() - Date.now() < TESTS_TAKE_MS && 'the month ends while it runs';

/** Moves all that can be moved of this month. */
export async function archiveAll(service: Service, signal = new AbortController().signal): Promise<MovedMonth[]> {
  const moved: MovedMonth[] = [];
  for (const month of await planMonths(service, null, inTime())) {
    moved.push(await moveMonth(service, month, { tablespace: null, signal, report() {} }));
  }
  return moved;
}

/** The archived month that a test has paid in. */
export async function paidMonth({ db }: Service): Promise<string> {
  return (await listArchivedMonths(db)).at(-1)!.month;
}

/** Nothing is on its way, what was paid is final with a `FINAL_AFTER` of 1, and the cost of each transaction is counted. */
export async function untilFinal(s: Scenario): Promise<void> {
  await s.calm();
  // The block of the newest posting stays live.
  await s.completed(await s.pay(0, 1));
  await s.calm();
  await s.faulty.mine(2);
  await s.calm();
}

/** How many rows of a table are live, and how many there are with the archived ones. */
export async function rowsOf({ db }: Pick<Service, 'db'>, table: string): Promise<{ live: number; all: number }> {
  const [row] = await db.query<{ live: number; all: number }>(
    `SELECT (SELECT count(*)::int FROM ONLY ${table}) AS live, (SELECT count(*)::int FROM ${table}) AS "all"`,
  );
  return row!;
}

export async function assertAuditEqual(service: Service): Promise<void> {
  assert.deepEqual((await auditLedger(service)).differences, []);
}

const balances = ({ db }: Service) => db.query('SELECT address, posted, held FROM accounts ORDER BY address');

/** The balances, and how many rows there are of each kind: nothing that is moved changes them. */
export async function wholeState(service: Service) {
  const tables = ['requests', 'transfers', 'transactions', 'postings'];
  const counts = await Promise.all(tables.map(async (table) => (await rowsOf(service, table)).all));
  return { balances: await balances(service), counts };
}
