import type { Address } from '../base/address.ts';
import type { AppId, RewardId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { jsonRows, type Query, type Tx } from '../db/database.ts';

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

export type NewReward = Omit<Reward, 'left' | 'grantedAt'>;

const COLUMNS = `id, user_id AS "userId", amount, greatest(amount - claimed, 0) AS left, source, key, app_id AS "appId",
  granted_at AS "grantedAt"`;

/** Quarters granted to the user and not claimed yet. */
export async function unclaimedRewards({ query }: { query: Query }, userId: UserId): Promise<Quarters> {
  const [row] = await query<{ total: Quarters }>(
    'SELECT coalesce(sum(amount - claimed), 0)::bigint AS total FROM rewards WHERE user_id = $1 AND claimed < amount',
    [userId],
  );
  return row!.total;
}

/** Every reward of the user, oldest first. */
export async function readRewardsOf({ query }: { query: Query }, userId: UserId): Promise<Reward[]> {
  return query<Reward>(`SELECT ${COLUMNS} FROM rewards WHERE user_id = $1 ORDER BY id`, [userId]);
}

/** The rewards that `source` has granted for these keys. */
export async function findRewards(
  { query }: { query: Query },
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
    `SELECT address, user_id AS "userId", posted, held, closed_at IS NULL AS open FROM accounts
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
