import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';

/**
 * The players with the most quarters on the confirmed chain, at most `most`. Reads all accounts: an index of balances would be written with
 * each payment.
 */
export async function readLargestHolders({ query }: Queries, most: number): Promise<UserId[]> {
  const rows = await query<{ userId: UserId }>(
    `SELECT user_id AS "userId" FROM accounts WHERE kind = 'user' AND posted > 0 AND coalesce(closed_at, merged_at) IS NULL
      ORDER BY posted DESC, user_id DESC LIMIT $1`,
    [most],
  );
  return rows.map(({ userId }) => userId);
}
