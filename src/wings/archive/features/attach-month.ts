import { join } from 'node:path';
import { Problem } from '../../../base/problems.ts';
import { addArchivedBalances, listArchivedMonths } from '../../../ledger/archived-months.ts';
import { auditingAlone } from '../../../ledger/audit-lock.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { storeRows } from '../store/month-rows.ts';
import { createLooseTables, joinTables } from '../store/month-tables.ts';
import { setDetaching, setFile } from '../store/months.ts';
import type { ReportDetaching } from './detach-month.ts';
import { fileNameOf, type MonthFile, readMonthFile } from './month-file.ts';

const BALANCES_AT_ONCE = 5_000;

type Deps = Pick<Service, 'db'>;

/**
 * Reads a detached month back from its file, after comparing its checksum with that of the day on which it was written. The newest detached
 * month comes first. A month whose detaching was ended in between is only released. Returns null then.
 *
 * Throws `invalid-input` if the month cannot be attached now.
 */
export async function attachMonth(
  service: Deps,
  month: string,
  folder: string,
  report: ReportDetaching,
): Promise<MonthFile | null> {
  const { db } = service;
  const attached = await auditingAlone(db, async (lock) => {
    const months = await listArchivedMonths(db);
    const found = months.find((one) => one.month === month);
    const newest = months.findLast(({ detachedAt }) => detachedAt !== null);
    if (!found) throw new Problem('invalid-input', `${month} is not archived.`);
    if (!found.detachedAt) {
      await setDetaching(db, month, false);
      return { file: null };
    }
    if (found !== newest) {
      throw new Problem(
        'invalid-input',
        `${newest!.month} has to be attached first: months come back the newest first.`,
      );
    }
    const path = join(folder, fileNameOf(month));
    report('Checking the file');
    const file = await readMonthFile(path);
    if (file.sha256 !== found.sha256) {
      throw new Problem(
        'invalid-input',
        `${path} has the checksum ${file.sha256}. That of ${month} was ${found.sha256}.`,
      );
    }
    await db.transaction((tx) => createLooseTables(tx, month, found.lastBlock));
    let done = 0;
    const { sha256 } = await readMonthFile(path, async (kind, rows, { columns }) => {
      lock.requireHeld();
      await db.transaction((tx) => storeRows(tx, kind, month, columns[kind], rows));
      done += rows.length;
      report(`Reading ${kind}`, done);
    });
    lock.requireUnbroken();
    if (sha256 !== file.sha256) throw new Error(`${path} has changed while it was read.`);
    await joinMonth(service, month, file);
    return { file };
  });
  if (!attached)
    throw new Error('Another process audits or repairs the ledger at this moment. Try again when it has ended.');
  return attached.file;
}

async function joinMonth({ db }: Deps, month: string, { balances, sha256 }: MonthFile): Promise<void> {
  const sums = [...balances].map(([address, posted]) => ({ address, posted }));
  await db.transaction(async (tx) => {
    for (let i = 0; i < sums.length; i += BALANCES_AT_ONCE) {
      await addArchivedBalances(tx, sums.slice(i, i + BALANCES_AT_ONCE), -1n);
    }
    await joinTables(tx, month);
    await setFile(tx, month, null);
    await recordChange(tx, {
      ...{ action: 'month-attached', subject: { kind: 'service', id: 'ledger' } },
      after: { month, sha256 },
    });
  });
}
