import type { AppId, UserId } from '../base/ids.ts';
import { columnsOf, type Query } from '../db/database.ts';
import type { StandingLimits } from './mandates.ts';

export type GrantedUser = {
  readonly userId: UserId;
  /** Empty if the user has none. */
  readonly email: string;
  readonly expiresAt: Date;
};

/**
 * Creates mandates from approvals before auto approval was enabled, for users without one, and returns these users. A mandate that was
 * withdrawn or has expired stays so. Users who withdrew the app's access or closed their account are left out. So are approvals by a
 * guest who then became a user, since the conversion has ended those.
 */
export async function grantForEarlierApprovals(
  { query }: { query: Query },
  grant: StandingLimits & { appId: AppId; approvals: readonly { userId: UserId; approvedAt: Date }[] },
): Promise<GrantedUser[]> {
  return query<GrantedUser>(
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
     SELECT user_id AS "userId", coalesce(email, '') AS email, expires_at AS "expiresAt"
       FROM granted JOIN users ON users.id = user_id ORDER BY user_id`,
    [
      grant.appId,
      ...columnsOf(grant.approvals, ['userId', 'approvedAt']),
      grant.maxPerTransfer,
      grant.maxPerDay,
      grant.days,
    ],
  );
}
