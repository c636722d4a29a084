import { type Address, asAddress } from '../base/address.ts';
import type { UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';

/** Closes the account of a user who leaves. Its key and its balance stay, since the chain knows nothing of it. */
export async function closeAccountOfUser({ query }: Tx, userId: UserId): Promise<void> {
  await query('UPDATE accounts SET closed_at = now(), unswept = true WHERE user_id = $1 AND closed_at IS NULL', [
    userId,
  ]);
}

/** Those of these accounts that are closed. */
export async function closedAmong(
  { query }: { query: Query },
  addresses: readonly Address[],
): Promise<ReadonlySet<Address>> {
  if (addresses.length === 0) return new Set();
  const rows = await query<{ address: string }>(
    'SELECT address FROM accounts WHERE address = ANY($1) AND closed_at IS NOT NULL',
    [addresses],
  );
  return new Set(rows.map(({ address }) => asAddress(address)));
}

/**
 * Marks closed accounts that hold something and are not marked: those that a process of an earlier version has changed, which knew no marks.
 * At most `most`; returns how many.
 */
export async function markUnswept({ query }: { query: Query }, most: number): Promise<number> {
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

/** Closed accounts that can have received something since they were last found empty, and what is free in each. */
export async function unsweptAccounts(
  { query }: { query: Query },
  limit: number,
): Promise<{ readonly address: Address; readonly free: Quarters }[]> {
  const rows = await query<{ address: string; free: bigint }>(
    'SELECT address, posted - held AS free FROM accounts WHERE unswept ORDER BY address LIMIT $1',
    [limit],
  );
  return rows.map((row) => ({ address: asAddress(row.address), free: asQuarters(row.free) }));
}

/**
 * Of these accounts, those with nothing free, and nothing left of a reward, need no further look until they change. One that somebody
 * changes just now is left for the next time.
 */
export async function markSwept({ query }: Tx, addresses: readonly Address[]): Promise<void> {
  if (addresses.length === 0) return;
  const locked = await query<{ address: string }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND unswept AND posted <= held
      ORDER BY address FOR NO KEY UPDATE SKIP LOCKED`,
    [addresses],
  );
  // A statement of its own: rewards come back under the account's lock, so that this one sees all that did.
  await query(
    `UPDATE accounts SET unswept = false
      WHERE address = ANY($1)
        AND NOT EXISTS (SELECT FROM rewards WHERE rewards.user_id = accounts.user_id AND claimed < amount)`,
    [locked.map(({ address }) => address)],
  );
}
