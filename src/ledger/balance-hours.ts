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
