import type { AppId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { jsonRows, type Query, type Tx } from '../db/database.ts';

/** How much an app may take without asking, at a time and a day (UTC). */
type Caps = { readonly maxPerTransfer: Quarters; readonly maxPerDay: Quarters };

/** What a user allows now: caps, and for how long. */
export type StandingLimits = Caps & { readonly days: number };

/** A user's word that an app may take quarters within its caps without asking. */
export type StandingApproval = Caps & { readonly userId: UserId; readonly appId: AppId; spentToday: Quarters };

const CAP_COLUMNS = 'max_per_transfer AS "maxPerTransfer", max_per_day AS "maxPerDay"';

/**
 * Records, or renews, a standing approval. What was spent today stays spent.
 *
 * In deciding this comes after the accounts are locked, and so waits for nobody: a row that `lockStandingApprovals` has not met was
 * made since by another grant of the same user. Whoever holds it came after that grant, and this one counts as given just before it.
 */
export async function grantStandingApproval(
  { query }: { query: Query },
  grant: StandingLimits & { userId: UserId; appId: AppId },
): Promise<void> {
  await query(
    `WITH held AS (
       SELECT user_id, app_id FROM standing_approvals
        WHERE user_id = $1 AND app_id = $2 FOR NO KEY UPDATE SKIP LOCKED
     ), renewed AS (
       UPDATE standing_approvals
          SET max_per_transfer = $3, max_per_day = $4, expires_at = now() + make_interval(days => $5), revoked_at = NULL
         FROM held WHERE standing_approvals.user_id = held.user_id AND standing_approvals.app_id = held.app_id)
     INSERT INTO standing_approvals (user_id, app_id, max_per_transfer, max_per_day, expires_at)
     SELECT $1, $2, $3, $4, now() + make_interval(days => $5) WHERE NOT EXISTS (SELECT FROM held)
     ON CONFLICT DO NOTHING`,
    [grant.userId, grant.appId, grant.maxPerTransfer, grant.maxPerDay, grant.days],
  );
}

/**
 * Locks the standing approvals of these pairs, in (user, app) order, and returns the living ones, keyed `user/app`. Those that have
 * expired or were withdrawn are locked too: a grant may renew them. A withdrawal at the same moment waits or wins; either way there is
 * one order.
 */
export async function lockStandingApprovals(
  { query }: Tx,
  pairs: readonly { userId: UserId; appId: AppId }[],
): Promise<Map<string, StandingApproval>> {
  if (pairs.length === 0) return new Map();
  const rows = await query<StandingApproval & { readonly lives: boolean }>(
    `SELECT user_id AS "userId", app_id AS "appId", ${CAP_COLUMNS}, revoked_at IS NULL AND expires_at > now() AS lives,
            CASE WHEN spent_on >= (now() AT TIME ZONE 'UTC')::date THEN spent_today ELSE 0 END AS "spentToday"
       FROM standing_approvals
      WHERE (user_id, app_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
      ORDER BY user_id, app_id FOR NO KEY UPDATE`,
    [pairs.map((pair) => pair.userId), pairs.map((pair) => pair.appId)],
  );
  return new Map(rows.flatMap(({ lives, ...approval }) => (lives ? [[standingKey(approval), approval]] : [])));
}

export function standingKey(pair: { userId: UserId; appId: AppId }): string {
  return `${pair.userId}/${pair.appId}`;
}

/** Writes what has now been spent today. The rows must be locked. */
export async function storeStandingSpends({ query }: Tx, approvals: readonly StandingApproval[]): Promise<void> {
  if (approvals.length === 0) return;
  await query(
    `UPDATE standing_approvals SET spent_today = "spentToday", spent_on = greatest(spent_on, (now() AT TIME ZONE 'UTC')::date)
       FROM jsonb_to_recordset($1) AS spent ("userId" text, "appId" text, "spentToday" bigint)
      WHERE user_id = "userId" AND app_id = "appId"`,
    [jsonRows(approvals)],
  );
}

/** A standing approval as its user sees it. */
export type LivingApproval = Caps & { readonly appId: AppId; readonly expiresAt: Date };

export async function listStandingApprovals({ query }: { query: Query }, userId: UserId): Promise<LivingApproval[]> {
  return query<LivingApproval>(
    `SELECT app_id AS "appId", ${CAP_COLUMNS}, expires_at AS "expiresAt" FROM standing_approvals
      WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now() ORDER BY created_at DESC, app_id`,
    [userId],
  );
}

/**
 * Withdraws a standing approval. One that is being used at this moment holds the row: what was decided before counts, and once
 * this has committed nothing more is.
 */
export async function revokeStandingApproval({ query }: { query: Query }, userId: UserId, appId: AppId): Promise<void> {
  await query(
    'UPDATE standing_approvals SET revoked_at = now() WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL',
    [userId, appId],
  );
}

/** Withdraws all of a user's, in the order in which they are locked elsewhere. */
export async function revokeStandingApprovalsOf({ query }: Tx, userId: UserId): Promise<void> {
  await query(
    `WITH living AS (
       SELECT user_id, app_id FROM standing_approvals WHERE user_id = $1 AND revoked_at IS NULL
        ORDER BY user_id, app_id FOR NO KEY UPDATE)
     UPDATE standing_approvals SET revoked_at = now() FROM living
      WHERE standing_approvals.user_id = living.user_id AND standing_approvals.app_id = living.app_id`,
    [userId],
  );
}
