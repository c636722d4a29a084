import { changing, inserting, removing } from './statements.ts';

type MonthColumns = { readonly month: string; readonly lastBlock: number; readonly movedAt: Date | null };

/** Months that are in files only. No table has had their rows. */
export const insertDetachedMonths = inserting<MonthColumns, 'month' | 'lastBlock'>('archived_months', (now) => ({
  ...{ movedAt: now, detachedAt: now, file: 'a file' },
  sha256: Buffer.alloc(32),
}));

export const changeMonths = changing<MonthColumns>('archived_months');
export const removeMonths = removing<MonthColumns>('archived_months');
