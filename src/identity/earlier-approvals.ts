import type { AppId, UserId } from '../base/ids.ts';
import { jsonRows, type Query } from '../db/database.ts';
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
  return query<GrantedUser>(
    `WITH granted AS (
       INSERT INTO standing_approvals (user_id, app_id, max_per_transfer, max_per_day, expires_at)
       SELECT users.id, $1, $3, $4, now() + make_interval(days => $5)
         FROM jsonb_to_recordset($2) AS approval ("userId" text, "approvedAt" timestamptz)
         JOIN users ON users.id = approval."userId"
        WHERE users.kind <> 'closed' AND (became_full_at IS NULL OR "approvedAt" > became_full_at)
          AND NOT EXISTS (SELECT FROM consents
                           WHERE consents.user_id = users.id AND consents.app_id = $1 AND revoked_at IS NOT NULL)
        ORDER BY users.id
       ON CONFLICT (user_id, app_id) DO NOTHING
       RETURNING user_id, expires_at)
     SELECT user_id AS "userId", coalesce(email, '') AS email, expires_at AS "expiresAt"
       FROM granted JOIN users ON users.id = user_id ORDER BY user_id`,
    [grant.appId, jsonRows(grant.approvals), grant.maxPerTransfer, grant.maxPerDay, grant.days],
  );
}
