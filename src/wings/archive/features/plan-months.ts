import { Problem } from '../../../base/problems.ts';
import { listArchivedMonths } from '../../../ledger/archived-months.ts';
import { newestPosting, readCursor } from '../../../ledger/blocks.ts';
import { lastBlockBefore } from '../../../ledger/posting-pages.ts';
import type { Service } from '../../../service/service.ts';
import { finalBlock } from '../../../settlement/finality.ts';
import { oldestLiveRow } from '../store/move-rows.ts';

/** A month can be archived so many days after its end: events, which are sent of its payments, are kept for 30. */
export const DAYS_AFTER_END = 31;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A month that can be moved, or goes on to be. */
export type PlannedMonth = {
  readonly month: string;
  /** Its end. */
  readonly until: Date;
  /** The last block of its rows. */
  readonly lastBlock: bigint;
};

type Deps = Pick<Service, 'db' | 'settings' | 'settlement'>;

/** How many blocks have to be above one that is final. */
export async function finalDepth(service: Deps): Promise<bigint> {
  const newest = (await readCursor(service.db))?.number ?? 0n;
  return newest - finalBlock(service, newest);
}

/**
 * The months that are over for long enough and not moved yet, the oldest first; or one of them. Throws `invalid-input` if that one cannot be
 * moved.
 */
export async function planMonths(service: Deps, only: string | null, now = new Date()): Promise<PlannedMonth[]> {
  const { db } = service;
  const newest = new Date(now.getTime() - DAYS_AFTER_END * DAY_MS);
  if (only !== null && endOf(only) > newest) {
    const from = new Date(endOf(only).getTime() + DAYS_AFTER_END * DAY_MS).toISOString().slice(0, 10);
    throw new Problem(
      'invalid-input',
      `${only} can be archived from ${from} on, ${DAYS_AFTER_END} days after its end.`,
    );
  }
  const [oldest, known] = await Promise.all([oldestLiveRow(db), listArchivedMonths(db)]);
  const isMoved = new Map(known.map(({ month, movedAt }) => [month, movedAt !== null]));
  if (only !== null && isMoved.get(only)) throw new Problem('invalid-input', `${only} is archived already.`);
  const months = only === null ? monthsBetween(oldest, newest).filter((month) => !isMoved.get(month)) : [only];
  const planned = await Promise.all(
    months.map(async (month) => ({ month, until: endOf(month), lastBlock: await lastBlockOf(service, endOf(month)) })),
  );
  return planned.filter(({ lastBlock }) => lastBlock >= 0n);
}

/** The block of the newest posting stays live: what follows the ledger begins with it. */
async function lastBlockOf(service: Deps, until: Date): Promise<bigint> {
  const [cursor, newest] = await Promise.all([readCursor(service.db), newestPosting(service.db)]);
  if (!cursor || !newest) return -1n;
  const final = finalBlock(service, cursor.number);
  const before = await lastBlockBefore(service.db, until, cursor.number);
  return [final, newest.number - 1n, before].reduce((least, one) => (one < least ? one : least));
}

/** The end of a month such as `2026-03` (UTC). */
export function endOf(month: string): Date {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1));
}

const monthOf = (time: Date) => time.toISOString().slice(0, 7);

/** The months from one time on that have ended at another. */
function monthsBetween(from: Date | null, end: Date): string[] {
  const months: string[] = [];
  if (!from) return months;
  for (let month = monthOf(from); endOf(month) <= end; month = monthOf(endOf(month))) months.push(month);
  return months;
}
