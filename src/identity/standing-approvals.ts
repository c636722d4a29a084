import type { AppId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';

/** How much an app may take without asking, at a time and a day (UTC). */
type Caps = { readonly maxPerTransfer: Quarters; readonly maxPerDay: Quarters };

/** What a user allows now: caps, and for how long. */
export type StandingLimits = Caps & { readonly days: number };

/** A user's word that an app may take quarters within its caps without asking. */
export type StandingApproval = Caps & { readonly userId: UserId; readonly appId: AppId; spentToday: Quarters };

type CapColumns = { max_per_transfer: bigint; max_per_day: bigint };

function capsOf(row: CapColumns): Caps {
  return { maxPerTransfer: asQuarters(row.max_per_transfer), maxPerDay: asQuarters(row.max_per_day) };
}

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
  const rows = await query<CapColumns & { user_id: string; app_id: string; spent_today: bigint; lives: boolean }>(
    `SELECT user_id, app_id, max_per_transfer, max_per_day, revoked_at IS NULL AND expires_at > now() AS lives,
            CASE WHEN spent_on >= (now() AT TIME ZONE 'UTC')::date THEN spent_today ELSE 0 END AS spent_today
       FROM standing_approvals
      WHERE (user_id, app_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
      ORDER BY user_id, app_id FOR NO KEY UPDATE`,
    [pairs.map((pair) => pair.userId), pairs.map((pair) => pair.appId)],
  );
  const living = rows.filter(({ lives }) => lives);
  return new Map(
    living.map((row) => [
      standingKey({ userId: row.user_id as UserId, appId: row.app_id as AppId }),
      {
        userId: row.user_id as UserId,
        appId: row.app_id as AppId,
        ...capsOf(row),
        spentToday: asQuarters(row.spent_today),
      },
    ]),
  );
}

export function standingKey(pair: { userId: UserId; appId: AppId }): string {
  return `${pair.userId}/${pair.appId}`;
}

/** Writes what has now been spent today. The rows must be locked. */
export async function storeStandingSpends({ query }: Tx, approvals: readonly StandingApproval[]): Promise<void> {
  if (approvals.length === 0) return;
  await query(
    `UPDATE standing_approvals SET spent_today = spent.today, spent_on = greatest(spent_on, (now() AT TIME ZONE 'UTC')::date)
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS spent (user_id, app_id, today)
      WHERE standing_approvals.user_id = spent.user_id AND standing_approvals.app_id = spent.app_id`,
    [approvals.map((a) => a.userId), approvals.map((a) => a.appId), approvals.map((a) => a.spentToday)],
  );
}

/** A standing approval as its user sees it. */
export type LivingApproval = Caps & { readonly appId: AppId; readonly expiresAt: Date };

export async function listStandingApprovals({ query }: { query: Query }, userId: UserId): Promise<LivingApproval[]> {
  const rows = await query<CapColumns & { app_id: string; expires_at: Date }>(
    `SELECT app_id, max_per_transfer, max_per_day, expires_at FROM standing_approvals
      WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now() ORDER BY created_at DESC, app_id`,
    [userId],
  );
  return rows.map((row) => ({ appId: row.app_id as AppId, ...capsOf(row), expiresAt: row.expires_at }));
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
