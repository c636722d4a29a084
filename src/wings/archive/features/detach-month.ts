import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../../base/problems.ts';
import { gaveUpWaiting } from '../../../db/database.ts';
import { type ArchivedMonth, addArchivedBalances, listArchivedMonths } from '../../../ledger/archived-months.ts';
import { type AuditLock, auditingAlone } from '../../../ledger/audit-lock.ts';
import { isMoving } from '../../../ledger/sweeps.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { refuseWhileSuspended } from '../../../settlement/may-act.ts';
import { hasEventsBefore } from '../../../webhooks/events.ts';
import { readColumns, readRows, sumByAccount } from '../store/month-rows.ts';
import { ARCHIVED_TABLES, type ArchivedTable, countRows, dropTables, keepShort } from '../store/month-tables.ts';
import { setDetaching, setFile } from '../store/months.ts';
import { fileNameOf, type MonthFile, readMonthFile, writeMonthFile } from './month-file.ts';
import { endOf } from './plan-months.ts';

const PAGE = 2_000;
const BALANCES_AT_ONCE = 5_000;
const AGAIN_AFTER_MS = 200;
const MOST_TRIES = 300;

type Deps = Pick<Service, 'db' | 'readiness'>;

/** `step`: such as `Writing requests`. */
export type ReportDetaching = (step: string, done?: number) => void;

/**
 * Writes a moved month to a file in a folder, reads the file back, and drops the month's tables. What its postings add up to stays in the
 * database, account by account, so that the audit still compares every balance. Beside the file it writes a small one with its checksum.
 *
 * Throws `invalid-input` if the month cannot be detached now.
 */
export async function detachMonth(
  service: Deps,
  month: string,
  folder: string,
  report: ReportDetaching,
): Promise<MonthFile & { readonly path: string }> {
  refuseWhileSuspended(service);
  const found = await auditingAlone(service.db, (lock) => detachAlone(service, month, folder, lock, report));
  if (!found)
    throw new Error('Another process audits or repairs the ledger at this moment. Try again when it has ended.');
  return found;
}

async function detachAlone(service: Deps, month: string, folder: string, lock: AuditLock, report: ReportDetaching) {
  const { db } = service;
  const { lastBlock } = await requireDetachable(service, month);
  const path = join(folder, fileNameOf(month));
  requireUnused(path);
  // From here on a reorganisation that reaches the month waits until somebody has decided.
  await setDetaching(db, month, true);
  try {
    const header = { month, lastBlock: Number(lastBlock), columns: await readColumns(db) };
    await writeMonthFile(path, header, (kind) => pagesOf(db, kind, month, report));
    lock.requireHeld();
    report('Reading the file back');
    const file = await readMonthFile(path);
    await requireEqual(service, month, file);
    await writeFile(join(folder, `${fileNameOf(month)}.json`), manifestOf(file), { mode: 0o600 });
    report('Dropping the tables');
    await dropMonth(service, month, file, lock);
    return { ...file, path };
  } catch (error) {
    await setDetaching(db, month, false);
    throw error;
  }
}

/** The oldest first, so that what a payment was refunded is never in a file while the payment is not. */
async function requireDetachable({ db }: Deps, month: string): Promise<ArchivedMonth> {
  const attached = (await listArchivedMonths(db)).filter(({ detachedAt }) => detachedAt === null);
  const [oldest] = attached;
  const found = attached.find((one) => one.month === month);
  if (!found?.movedAt) throw new Problem('invalid-input', `${month} is not archived. First: npx quarters archive move`);
  if (found !== oldest) {
    throw new Problem('invalid-input', `${oldest!.month} has to be detached first: months go the oldest first.`);
  }
  if (await hasEventsBefore(db, endOf(month))) {
    throw new Problem(
      'invalid-input',
      `Events of ${month} are still kept, and name its payments. They are deleted in time.`,
    );
  }
  if (await isMoving(db)) {
    throw new Problem('payments-suspended', 'Quarters are moving to new addresses. Detach it when all have moved.');
  }
  return found;
}

/** A file with that name may be all that another installation has of a month. */
function requireUnused(path: string): void {
  if (!existsSync(path)) return;
  throw new Problem(
    'invalid-input',
    `${path} is there already, of another installation or of a run that ended early. Move it away, or name another folder.`,
  );
}

async function* pagesOf(db: Deps['db'], kind: ArchivedTable, month: string, report: ReportDetaching) {
  let done = 0;
  for (let after: string | null = null; ; ) {
    const page: string[] = await readRows(db, kind, month, after, PAGE);
    if (page.length > 0) yield page;
    done += page.length;
    report(`Writing ${kind}`, done);
    if (page.length < PAGE) return;
    after = page.at(-1)!;
  }
}

/** The file has what the tables have. */
async function requireEqual({ db }: Deps, month: string, file: MonthFile): Promise<void> {
  const differs = () => new Error(`The file of ${month} does not have what the tables have. Nothing was dropped.`);
  await db.snapshot(async (tx) => {
    const rows = await countRows(tx, month);
    if (ARCHIVED_TABLES.some((kind) => rows[kind] !== file.rows[kind])) throw differs();
    let accounts = 0;
    for await (const page of sumByAccount(tx, month)) {
      if (page.some(({ address, posted }) => file.balances.get(address) !== posted)) throw differs();
      accounts += page.length;
    }
    if (accounts !== file.balances.size) throw differs();
  });
}

function manifestOf({ month, lastBlock, rows, quarters, balances, sha256, bytes }: MonthFile): string {
  const counts = Object.fromEntries(ARCHIVED_TABLES.map((kind) => [kind, Number(rows[kind])]));
  const about = { file: fileNameOf(month), sha256, bytes, month, lastBlock, rows: counts };
  const sumOfBalances = `${balances.values().reduce((sum, posted) => sum + posted, 0n)}`;
  return `${JSON.stringify({ ...about, quarters: `${quarters}`, accounts: balances.size, sumOfBalances }, null, 2)}\n`;
}

/** One transaction. Tries again while somebody reads the tables for longer than payments may wait. */
async function dropMonth(
  { db }: Deps,
  month: string,
  { rows, balances, sha256, bytes }: MonthFile,
  lock: AuditLock,
): Promise<void> {
  const sums = [...balances].map(([address, posted]) => ({ address, posted }));
  for (let tries = 1; ; tries++) {
    try {
      await db.transaction(async (tx) => {
        for (let i = 0; i < sums.length; i += BALANCES_AT_ONCE) {
          await addArchivedBalances(tx, sums.slice(i, i + BALANCES_AT_ONCE), 1n);
        }
        await recordChange(tx, {
          ...{ action: 'month-detached', subject: { kind: 'service', id: 'ledger' } },
          after: { month, file: fileNameOf(month), sha256, bytes, ...rows },
        });
        await setFile(tx, month, { name: fileNameOf(month), sha256 });
        // Otherwise somebody may have repaired what the file has.
        lock.requireUnbroken();
        await keepShort(tx);
        await dropTables(tx, month);
      });
      return;
    } catch (error) {
      if (!gaveUpWaiting(error) || tries === MOST_TRIES) throw error;
      await delay(AGAIN_AFTER_MS);
    }
  }
}
