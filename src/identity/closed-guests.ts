import type { UserId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';

/**
 * Closes a guest. It has no personal data, so its name stays, by which players and operators speak of it. False if it is no guest any more:
 * of two concurrent calls exactly one gets true.
 */
export async function closeGuest({ query }: Tx, id: UserId): Promise<boolean> {
  const rows = await query(
    `UPDATE users SET kind = 'closed', closed_at = now() WHERE id = $1 AND kind = 'guest' RETURNING 1`,
    [id],
  );
  return rows.length === 1;
}
