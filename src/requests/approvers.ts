import type { AppId, UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';

/** A user who approved a request of an app in person, and when they last did. */
export type Approver = { readonly userId: UserId; readonly approvedAt: Date };

/** Which of these users approved a request of this app in person before a moment. Reads their requests only. */
export async function findApprovers(
  { query }: { query: Query },
  app: { appId: AppId; before: Date; users: readonly UserId[] },
): Promise<Approver[]> {
  return query<Approver>(
    `SELECT given.id AS "userId", approved_at AS "approvedAt"
       FROM unnest($3::text[]) AS given (id),
            LATERAL (SELECT max(at) AS approved_at
                       FROM requests JOIN request_moves ON request_id = requests.id
                      WHERE user_id = given.id AND app_id = $1 AND source = 'user'
                        AND event = 'approve' AND actor = 'user:' || user_id AND at < $2) AS last
      WHERE approved_at IS NOT NULL`,
    [app.appId, app.before, app.users],
  );
}
