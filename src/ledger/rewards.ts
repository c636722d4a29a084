import type { Address } from '../base/address.ts';
import type { AppId, RequestId, RewardId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import { columnsOf, jsonRows, type Lookup, type Lookups, type Queries, type Tx } from '../db/database.ts';

/** What granted it: the operator or one of the rules. */
export type RewardSource = 'operator' | 'welcome' | 'share';

export type Reward = {
  readonly id: RewardId;
  readonly userId: UserId;
  readonly amount: Quarters;
  /** The part that can still be spent. */
  readonly left: Quarters;
  readonly source: RewardSource;
  /** What it was granted for. Each source grants once for each key. */
  readonly key: string;
  /** The app with the payment that earned it; null if the operator granted it. */
  readonly appId: AppId | null;
  readonly grantedAt: Date;
};

/** How keys of the operator's rewards begin that only say what a player has spent of rewards that a restored database lacks. */
export const SPENT_UNKNOWN = 'recovered ';

export type NewReward = Omit<Reward, 'left' | 'grantedAt'>;

const COLUMNS = `id, user_id AS "userId", amount, greatest(amount - claimed, 0) AS left, source, key, app_id AS "appId",
  granted_at AS "grantedAt"`;

const UNCLAIMED: Lookup<Quarters> = async ({ query }, users) => {
  const rows = await query<{ userId: UserId; total: Quarters }>(
    `SELECT user_id AS "userId", sum(amount - claimed)::bigint AS total FROM rewards
      WHERE user_id = ANY($1::text[]) AND claimed < amount GROUP BY user_id`,
    [users],
  );
  return new Map(rows.map(({ userId, total }) => [userId, total]));
};

/** Quarters granted to the user and not claimed yet. */
export async function unclaimedRewards(db: Lookups, userId: UserId): Promise<Quarters> {
  return (await db.lookUp(UNCLAIMED, userId)) ?? asQuarters(0);
}

/** Every reward of the user, oldest first. */
export async function readRewardsOf({ query }: Queries, userId: UserId): Promise<Reward[]> {
  return query<Reward>(`SELECT ${COLUMNS} FROM rewards WHERE user_id = $1 ORDER BY id`, [userId]);
}

export async function findReward({ query }: Queries, id: RewardId): Promise<Reward | null> {
  const [row] = await query<Reward>(`SELECT ${COLUMNS} FROM rewards WHERE id = $1`, [id]);
  return row ?? null;
}

/** The newest rewards of the user, at most `most`. */
export async function newestRewardsOf({ query }: Queries, userId: UserId, most: number): Promise<Reward[]> {
  return query<Reward>(`SELECT ${COLUMNS} FROM rewards WHERE user_id = $1 ORDER BY granted_at DESC, id DESC LIMIT $2`, [
    userId,
    most,
  ]);
}

/** Those of them that payments to one app have earned. */
export async function newestRewardsFrom(
  { query }: Queries,
  { userId, appId }: { readonly userId: UserId; readonly appId: AppId },
  most: number,
): Promise<Reward[]> {
  return query<Reward>(
    `SELECT ${COLUMNS} FROM rewards WHERE user_id = $1 AND app_id = $2 ORDER BY granted_at DESC, id DESC LIMIT $3`,
    [userId, appId, most],
  );
}

/** The rewards that `source` has granted for these keys. */
export async function findRewards(
  { query }: Queries,
  source: RewardSource,
  keys: readonly string[],
): Promise<Reward[]> {
  if (keys.length === 0) return [];
  return query<Reward>(`SELECT ${COLUMNS} FROM rewards WHERE source = $1 AND key = ANY($2)`, [source, keys]);
}

/** The treasury and the users who may be granted rewards, all locked. */
export type Granting = {
  readonly treasury: { readonly address: Address; readonly posted: Quarters; readonly held: Quarters };
  /** The users with an open account. It stays open until the transaction ends. */
  readonly open: ReadonlySet<UserId>;
};

/** Locks the treasury, so that grants are made one after another, and the users' accounts, so that none is closed meanwhile. */
export async function lockForGrants({ query }: Tx, users: readonly UserId[]): Promise<Granting> {
  const rows = await query<Granting['treasury'] & { readonly userId: UserId | null; readonly open: boolean }>(
    `SELECT address, user_id AS "userId", posted, held, coalesce(closed_at, merged_at) IS NULL AS open FROM accounts
      WHERE kind = 'treasury' OR user_id = ANY($1) ORDER BY address FOR NO KEY UPDATE`,
    [[...new Set(users)]],
  );
  const treasury = rows.find(({ userId }) => userId === null);
  if (!treasury) throw new Error('There is no treasury yet: the contracts are not set up');
  return { treasury, open: new Set(rows.flatMap(({ userId, open }) => (userId && open ? [userId] : []))) };
}

/** Stores rewards, after `lockForGrants`. The caller must add their sum to the treasury's hold. */
export async function insertRewards({ query }: Tx, rewards: readonly NewReward[]): Promise<void> {
  if (rewards.length === 0) return;
  await query(
    `INSERT INTO rewards (id, user_id, amount, source, key, app_id)
     SELECT * FROM jsonb_to_recordset($1)
       AS new (id uuid, "userId" text, amount bigint, source text, key text, "appId" text)`,
    [jsonRows(rewards)],
  );
}

/**
 * Ends what is left of the rewards of these accounts' users, also what a cancelled transfer returned, and releases the treasury's hold
 * for it. Ends at most `most` rewards; returns how many.
 */
export async function endRewards(
  { query }: Tx,
  treasury: Address,
  accounts: readonly Address[],
  most: number,
): Promise<number> {
  const rows = await query<{ unclaimed: bigint }>(
    `WITH left_over AS (
       SELECT rewards.id, amount - claimed AS unclaimed
         FROM rewards JOIN accounts USING (user_id)
        WHERE claimed < amount AND address = ANY($1)
        ORDER BY rewards.id LIMIT $2 FOR NO KEY UPDATE OF rewards)
     UPDATE rewards SET amount = claimed FROM left_over WHERE rewards.id = left_over.id RETURNING unclaimed`,
    [accounts, most],
  );
  const sum = rows.reduce((total, { unclaimed }) => total + unclaimed, 0n);
  if (sum > 0n) await query('UPDATE accounts SET held = held - $2 WHERE address = $1', [treasury, sum]);
  return rows.length;
}

/** A payment that a rule may grant a reward for. */
export type Earned = { readonly source: Exclude<RewardSource, 'operator'>; readonly requestId: RequestId };

/** Records payments that users without a welcome reward approved on a page. Call it in the transaction that accepts them. */
export async function recordWelcomes(
  { query }: Tx,
  payments: readonly { readonly requestId: RequestId; readonly userId: UserId }[],
): Promise<void> {
  if (payments.length === 0) return;
  await query(
    `INSERT INTO earned_rewards (source, request_id)
     SELECT 'welcome', request_id FROM unnest($1::uuid[], $2::text[]) AS payment (request_id, user_id)
      WHERE NOT EXISTS (SELECT FROM rewards WHERE source = 'welcome' AND key = user_id)
     ON CONFLICT DO NOTHING`,
    columnsOf(payments, ['requestId', 'userId']),
  );
}

/** Records completed requests, in the transaction that completes them. A request completed again after a reorganisation is recorded again. */
export async function recordShares({ query }: Tx, requests: readonly RequestId[]): Promise<void> {
  if (requests.length === 0) return;
  await query(
    `INSERT INTO earned_rewards (source, request_id) SELECT 'share', request_id FROM unnest($1::uuid[]) AS request_id
     ON CONFLICT DO NOTHING`,
    [requests],
  );
}

export async function hasEarned({ query }: Queries): Promise<boolean> {
  return (await query('SELECT FROM earned_rewards LIMIT 1')).length > 0;
}

/** Takes recorded payments. The caller must grant their rewards in the same transaction, as nobody else will. */
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
