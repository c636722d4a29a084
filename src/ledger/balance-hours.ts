import type { Address } from '../base/address.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries } from '../db/database.ts';

/** An app's confirmed balance at the end of an hour in which it changed. */
export type BalanceHour = { readonly hour: Date; readonly posted: Quarters };

/**
 * The hours from `from` on in which the account of an app changed, and the last one before, oldest first. `applyChanges` writes them
 * with the accounts, because no index finds the postings of an app: each payment would have to write it.
 */
export async function readBalanceHours({ query }: Queries, address: Address, from: Date): Promise<BalanceHour[]> {
  return query<BalanceHour>(
    `SELECT hour, posted FROM balance_hours
      WHERE address = $1
        AND hour >= coalesce((SELECT hour FROM balance_hours WHERE address = $1 AND hour < $2 ORDER BY hour DESC LIMIT 1), $2)
      ORDER BY hour`,
    [address, from],
  );
}

const KEPT_DAYS = 90;

/**
 * Deletes balances that were noted more than 90 days ago, at most `most`, but the last of each account: it is the balance with which the
 * 90 days begin. Returns how many.
 */
export async function forgetOldBalances({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `WITH bound AS (SELECT now() - make_interval(days => $1) AS hour)
     DELETE FROM balance_hours WHERE (address, hour) IN (
       SELECT old.address, old.hour FROM balance_hours AS old, bound
        WHERE old.hour < bound.hour
          AND EXISTS (SELECT FROM balance_hours AS later
                       WHERE later.address = old.address AND later.hour > old.hour AND later.hour < bound.hour)
        ORDER BY old.hour LIMIT $2 FOR UPDATE OF old SKIP LOCKED) RETURNING 1`,
    [KEPT_DAYS, most],
  );
  return rows.length;
}
