import type { AppId, UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import type { StandingLimits } from './standing-approvals.ts';

export type GrantedUser = {
  readonly userId: UserId;
  /** Empty where the user has none. */
  readonly email: string;
  readonly expiresAt: Date;
};

/**
 * Makes standing approvals of approvals that were given before the app was enabled, for users who have none yet, and returns
 * those users. A record that was withdrawn or ran out stays as it is. Left out are who withdrew the app's access or closed the
 * account, and approvals from when the account was somebody's guest: conversion has ended those.
 */
export async function grantForEarlierApprovals(
  { query }: { query: Query },
  grant: StandingLimits & { appId: AppId; approvals: readonly { userId: UserId; approvedAt: Date }[] },
): Promise<GrantedUser[]> {
  const rows = await query<{ user_id: string; email: string | null; expires_at: Date }>(
    `WITH granted AS (
       INSERT INTO standing_approvals (user_id, app_id, max_per_transfer, max_per_day, expires_at)
       SELECT users.id, $1, $4, $5, now() + make_interval(days => $6)
         FROM unnest($2::text[], $3::timestamptz[]) AS approval (user_id, approved_at)
         JOIN users ON users.id = approval.user_id
        WHERE users.kind <> 'closed' AND (became_full_at IS NULL OR approved_at > became_full_at)
          AND NOT EXISTS (SELECT FROM consents
                           WHERE consents.user_id = users.id AND consents.app_id = $1 AND revoked_at IS NOT NULL)
        ORDER BY users.id
       ON CONFLICT (user_id, app_id) DO NOTHING
       RETURNING user_id, expires_at)
     SELECT user_id, email, expires_at FROM granted JOIN users ON users.id = user_id ORDER BY user_id`,
    [
      grant.appId,
      grant.approvals.map(({ userId }) => userId),
      grant.approvals.map(({ approvedAt }) => approvedAt),
      grant.maxPerTransfer,
      grant.maxPerDay,
      grant.days,
    ],
  );
  return rows.map((row) => ({ userId: row.user_id as UserId, email: row.email ?? '', expiresAt: row.expires_at }));
}
