import type { Address } from '../base/address.ts';
import type { AppId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';

export type TopPayer = { readonly address: Address; readonly count: number; readonly amount: bigint };

/**
 * Who paid the most in the period that begins at `from`: in an app, or in all (null). `isLast`: whether the last counted posting is in it.
 * Of an earlier period the first 100 are kept; of an app's, the first 20 of months and years. Equal ones are ordered by address.
 */
export async function readTopPayers(
  { query }: Queries,
  { period, from, isLast }: { period: 'day' | 'week' | 'month' | 'year'; from: Date; isLast: boolean },
  appId: AppId | null,
  limit: number,
): Promise<TopPayer[]> {
  const day = from.toISOString().slice(0, 10);
  if (!isLast) {
    return query<TopPayer>(
      `SELECT payer AS address, count::float8 AS count, amount FROM economy_tops
        WHERE period = $1 AND starts = $2 AND app_id = $3 ORDER BY rank LIMIT $4`,
      [period, day, appId ?? '', limit],
    );
  }
  return query<TopPayer>(
    `SELECT payer AS address, count::float8 AS count, amount FROM (
       SELECT payer, CASE $1 WHEN 'day' THEN day_count WHEN 'week' THEN week_count WHEN 'month' THEN month_count ELSE year_count END AS count,
              CASE $1 WHEN 'day' THEN day_amount WHEN 'week' THEN week_amount WHEN 'month' THEN month_amount ELSE year_amount END AS amount
         FROM economy_payers WHERE app_id = $3 AND last_day >= $2::date) AS paid
      ORDER BY amount DESC, payer LIMIT $4`,
    [period, day, appId ?? '', limit],
  );
}
