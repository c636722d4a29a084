import { type Address, asAddress } from '../base/address.ts';
import type { UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';

/** Closes the account of a user who leaves. Its key and its balance stay, since the chain knows nothing of it. */
export async function closeAccountOfUser({ query }: Tx, userId: UserId): Promise<void> {
  await query('UPDATE accounts SET closed_at = now() WHERE user_id = $1 AND closed_at IS NULL', [userId]);
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

/** Closed accounts in which there is something that is not on its way already, and how much. */
export async function closedWithQuarters(
  { query }: { query: Query },
  limit: number,
): Promise<{ readonly address: Address; readonly free: Quarters }[]> {
  const rows = await query<{ address: string; free: bigint }>(
    `SELECT address, posted - held AS free FROM accounts
      WHERE closed_at IS NOT NULL AND posted > held ORDER BY address LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({ address: asAddress(row.address), free: asQuarters(row.free) }));
}
