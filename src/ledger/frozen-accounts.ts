import type { UserId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import type { OwnedBy } from './accounts.ts';

/** Whether nothing is paid from an account. `reason`: the operator's note, for operators only. Both are null while it is not frozen. */
export type Freeze = { readonly frozenAt: Date | null; readonly reason: string | null };

/** Of a user or an app. */
type Owner = Exclude<OwnedBy, { kind: 'treasury' }>;

const FREEZE = 'frozen_at AS "frozenAt", frozen_reason AS reason';

/**
 * Freezes an account (`reason` given) or lifts that (null), unless it is so already. Decisions that pay from it lock its row as well: one
 * that is under way comes before this, and every later one finds it. Returns null if there is no such account, or it is closed.
 */
export async function storeFreeze(
  { query }: Tx,
  owner: Owner,
  reason: string | null,
): Promise<{ readonly before: Freeze; readonly after: Freeze } | null> {
  const [column, id] = owner.kind === 'user' ? ['user_id', owner.userId] : ['app_id', owner.appId];
  const [before] = await query<Freeze>(
    `SELECT ${FREEZE} FROM accounts WHERE ${column} = $1 AND coalesce(closed_at, merged_at) IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  if (!before) return null;
  if ((before.frozenAt === null) === (reason === null)) return { before, after: before };
  const [after] = await query<Freeze>(
    `UPDATE accounts SET frozen_at = CASE WHEN $2::text IS NOT NULL THEN now() END, frozen_reason = $2
      WHERE ${column} = $1 RETURNING ${FREEZE}`,
    [id, reason],
  );
  return { before, after: after! };
}

/** Whether a user's account is frozen. It stays so, or not, until the transaction ends. */
export async function holdFreeze({ query }: Tx, userId: UserId): Promise<boolean> {
  const [account] = await query<{ isFrozen: boolean }>(
    'SELECT frozen_at IS NOT NULL AS "isFrozen" FROM accounts WHERE user_id = $1 FOR SHARE',
    [userId],
  );
  return account?.isFrozen ?? false;
}

/** The same as this transaction sees it, without a lock. */
export async function isUserFrozen({ query }: Queries, userId: UserId): Promise<boolean> {
  return (await query('SELECT FROM accounts WHERE user_id = $1 AND frozen_at IS NOT NULL', [userId])).length > 0;
}
