import type { AppId, UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';

/** Somebody who approved a request of an app themselves, and when they last did. */
export type Approver = { readonly userId: UserId; readonly approvedAt: Date };

/** Who of these users approved a normal request of this app before a moment. Reads their requests, and nobody else's. */
export async function findApprovers(
  { query }: { query: Query },
  app: { appId: AppId; before: Date; users: readonly UserId[] },
): Promise<Approver[]> {
  const rows = await query<{ user_id: string; approved_at: Date }>(
    `SELECT given.id AS user_id, approved_at
       FROM unnest($3::text[]) AS given (id),
            LATERAL (SELECT max(at) AS approved_at
                       FROM requests JOIN request_moves ON request_id = requests.id
                      WHERE user_id = given.id AND app_id = $1 AND source = 'user'
                        AND event = 'approve' AND actor = 'user:' || user_id AND at < $2) AS last
      WHERE approved_at IS NOT NULL`,
    [app.appId, app.before, app.users],
  );
  return rows.map((row) => ({ userId: row.user_id as UserId, approvedAt: row.approved_at }));
}
