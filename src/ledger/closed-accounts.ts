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
 * Closes the account of a guest whose player has another one, which gets the quarters of this one from now on. Locks both. False if one of
 * them is closed or frozen.
 *
 * It leaves `closed_at` and `unswept` alone: an earlier release, which may still run beside this one, sends to the treasury what these mark.
 */
export async function mergeAccountOfGuest({ query }: Tx, guest: UserId, into: UserId): Promise<boolean> {
  const open = await query<{ address: Address; userId: UserId }>(
    `SELECT address, user_id AS "userId" FROM accounts
      WHERE user_id = ANY($1) AND coalesce(closed_at, merged_at) IS NULL AND frozen_at IS NULL
      ORDER BY address FOR NO KEY UPDATE`,
    [[guest, into]],
  );
  const target = open.find(({ userId }) => userId === into);
  if (!target || open.length !== 2) return false;
  await query('UPDATE accounts SET merged_into = $2, merged_at = now(), unmoved = true WHERE user_id = $1', [
    guest,
    target.address,
  ]);
  return true;
}

/**
 * Closes an account that was found on the chain and belongs to nobody: a user's account gets its quarters from now on. Locks both. False if
 * it is no such account, or the user's is closed or frozen.
 */
export async function joinRecoveredAccount({ query }: Tx, recovered: Address, into: UserId): Promise<boolean> {
  const open = await query<{ address: Address }>(
    `SELECT address FROM accounts
      WHERE (address = $1 AND kind = 'recovered' OR user_id = $2) AND coalesce(closed_at, merged_at) IS NULL AND frozen_at IS NULL
      ORDER BY address FOR NO KEY UPDATE`,
    [recovered, into],
  );
  const target = open.find(({ address }) => address !== recovered);
  if (!target || open.length !== 2) return false;
  await query('UPDATE accounts SET merged_into = $2, merged_at = now(), unmoved = true WHERE address = $1', [
    recovered,
    target.address,
  ]);
  return true;
}

/**
 * Marks closed accounts that have something left and no mark. A process of an earlier version, which set no marks, leaves such
 * accounts. Marks at most `most` of each kind (closed, merged); returns the larger of both counts.
 */
export async function markToEmpty({ query }: Queries, most: number): Promise<number> {
  const mark = (closed: 'closed_at' | 'merged_at', due: 'unswept' | 'unmoved') =>
    query(
      `WITH locked AS (
         SELECT address FROM accounts
          WHERE ${closed} IS NOT NULL AND NOT ${due}
            AND (posted > held OR EXISTS (SELECT FROM rewards WHERE rewards.user_id = accounts.user_id AND claimed < amount))
          ORDER BY address LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
       UPDATE accounts SET ${due} = true FROM locked WHERE accounts.address = locked.address RETURNING 1`,
      [most],
    );
  return Math.max((await mark('closed_at', 'unswept')).length, (await mark('merged_at', 'unmoved')).length);
}

/** A closed account. `free`: its balance. `mergedInto`: what gets that; null: the treasury. */
export type AccountToEmpty = {
  readonly address: Address;
  readonly free: Quarters;
  readonly mergedInto: Address | null;
};

/**
 * Closed accounts, and addresses that were left, which may have received something since they were last empty: at most `limit` of each kind.
 * Those with the most quarters come first: somebody else may know the keys of addresses that were left.
 */
export async function accountsToEmpty({ query }: Queries, limit: number): Promise<AccountToEmpty[]> {
  const [columns, sorted] = [
    'address, posted - held AS free, merged_into AS "mergedInto"',
    'ORDER BY posted - held DESC, address LIMIT $1',
  ];
  return query(
    `(SELECT ${columns} FROM accounts WHERE unswept ${sorted})
     UNION ALL (SELECT ${columns} FROM accounts WHERE unmoved ${sorted})`,
    [limit],
  );
}

/**
 * Clears the mark of those accounts that have no free balance and no reward left: they are not emptied again until they change. Skips
 * an account that is being changed; the next round looks at it.
 */
export async function unmarkEmptied({ query }: Tx, addresses: readonly Address[]): Promise<void> {
  if (addresses.length === 0) return;
  const locked = await query<{ address: Address }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND (unswept OR unmoved) AND posted <= held
      ORDER BY address FOR NO KEY UPDATE SKIP LOCKED`,
    [addresses],
  );
  // A separate statement: rewards are returned under the account's lock, so this one sees all of them.
  await query(
    `UPDATE accounts SET unswept = false, unmoved = false
      WHERE address = ANY($1)
        AND NOT EXISTS (SELECT FROM rewards WHERE rewards.user_id = accounts.user_id AND claimed < amount)`,
    [locked.map(({ address }) => address)],
  );
}
