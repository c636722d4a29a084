import type { Address } from '../base/address.ts';
import type { UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries, Tx } from '../db/database.ts';

/**
 * Closes the account of a user who closes theirs. Its key and balance stay, since it still exists on the chain. False if it is frozen:
 * closing would move its quarters.
 */
export async function closeAccountOfUser({ query }: Tx, userId: UserId): Promise<boolean> {
  const rows = await query(
    `UPDATE accounts SET closed_at = now(), unswept = true
      WHERE user_id = $1 AND closed_at IS NULL AND frozen_at IS NULL RETURNING 1`,
    [userId],
  );
  return rows.length === 1;
}

/**
 * Marks closed accounts that have something to sweep and no mark. A process of an earlier version, which set no marks, leaves such
 * accounts. Marks at most `most`; returns how many.
 */
export async function markUnswept({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `WITH locked AS (
       SELECT address FROM accounts
        WHERE closed_at IS NOT NULL AND NOT unswept
          AND (posted > held OR EXISTS (SELECT FROM rewards WHERE rewards.user_id = accounts.user_id AND claimed < amount))
        ORDER BY address LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE accounts SET unswept = true FROM locked WHERE accounts.address = locked.address RETURNING 1`,
    [most],
  );
  return rows.length;
}

/** Closed accounts that may have received something since they were last empty, with the free balance of each. */
export async function unsweptAccounts(
  { query }: Queries,
  limit: number,
): Promise<{ readonly address: Address; readonly free: Quarters }[]> {
  return query('SELECT address, posted - held AS free FROM accounts WHERE unswept ORDER BY address LIMIT $1', [limit]);
}

/**
 * Clears the mark of those accounts that have no free balance and no reward left: they are not swept again until they change. Skips
 * an account that is being changed; the next sweep looks at it.
 */
export async function markSwept({ query }: Tx, addresses: readonly Address[]): Promise<void> {
  if (addresses.length === 0) return;
  const locked = await query<{ address: Address }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND unswept AND posted <= held
      ORDER BY address FOR NO KEY UPDATE SKIP LOCKED`,
    [addresses],
  );
  // A separate statement: rewards are returned under the account's lock, so this one sees all of them.
  await query(
    `UPDATE accounts SET unswept = false
      WHERE address = ANY($1)
        AND NOT EXISTS (SELECT FROM rewards WHERE rewards.user_id = accounts.user_id AND claimed < amount)`,
    [locked.map(({ address }) => address)],
  );
}
