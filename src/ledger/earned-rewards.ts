import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { columnsOf, type Query, type Tx } from '../db/database.ts';
import type { RewardSource } from './rewards.ts';

/** A payment that a rule may grant a reward for. */
export type Earned = { readonly source: Exclude<RewardSource, 'operator'>; readonly requestId: RequestId };

/** Notes payments that users without a welcome reward approved on a page. Call it in the transaction that accepts them. */
export async function noteWelcomes(
  { query }: Tx,
  spends: readonly { readonly requestId: RequestId; readonly userId: UserId }[],
): Promise<void> {
  if (spends.length === 0) return;
  await query(
    `INSERT INTO earned_rewards (source, request_id)
     SELECT 'welcome', request_id FROM unnest($1::uuid[], $2::text[]) AS spend (request_id, user_id)
      WHERE NOT EXISTS (SELECT FROM rewards WHERE source = 'welcome' AND key = user_id)
     ON CONFLICT DO NOTHING`,
    columnsOf(spends, ['requestId', 'userId']),
  );
}

/** Notes completed requests, in the transaction that completes them. A request completed again after a reorganisation is noted again. */
export async function noteShares({ query }: Tx, requests: readonly RequestId[]): Promise<void> {
  if (requests.length === 0) return;
  await query(
    `INSERT INTO earned_rewards (source, request_id) SELECT 'share', request_id FROM unnest($1::uuid[]) AS request_id
     ON CONFLICT DO NOTHING`,
    [requests],
  );
}

export async function hasEarned({ query }: { query: Query }): Promise<boolean> {
  return (await query('SELECT FROM earned_rewards LIMIT 1')).length > 0;
}

/** Takes noted payments. The caller must grant their rewards in the same transaction, as nobody else will. */
export async function takeEarned({ query }: Tx, most: number): Promise<Earned[]> {
  return query<Earned>(
    `WITH taken AS (
       SELECT source, request_id FROM earned_rewards ORDER BY request_id, source LIMIT $1 FOR UPDATE SKIP LOCKED)
     DELETE FROM earned_rewards USING taken
      WHERE earned_rewards.source = taken.source AND earned_rewards.request_id = taken.request_id
     RETURNING earned_rewards.source, earned_rewards.request_id AS "requestId"`,
    [most],
  );
}

/** Today's (UTC) share rewards of each user, and what both rules granted for payments in each app. Exact while the treasury is locked. */
export async function grantedToday(
  { query }: Tx,
  users: readonly UserId[],
  apps: readonly AppId[],
): Promise<Map<UserId | AppId, Quarters>> {
  const rows = await query<{ id: UserId | AppId; total: Quarters }>(
    `WITH today AS (SELECT date_trunc('day', now(), 'UTC') AS begins)
     SELECT user_id AS id, sum(amount)::bigint AS total FROM rewards, today
      WHERE user_id = ANY($1) AND source = 'share' AND granted_at >= begins GROUP BY user_id
     UNION ALL
     SELECT app_id, sum(amount)::bigint FROM rewards, today
      WHERE app_id = ANY($2) AND granted_at >= begins GROUP BY app_id`,
    [[...new Set(users)], [...new Set(apps)]],
  );
  return new Map(rows.map(({ id, total }) => [id, total]));
}
