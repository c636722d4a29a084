import { type Address, asAddress } from '../base/address.ts';
import type { AppId, RewardId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';

/** Who granted it: the operator, or one of the rules. */
export type RewardSource = 'operator' | 'welcome' | 'share';

export type Reward = {
  readonly id: RewardId;
  readonly userId: UserId;
  readonly amount: Quarters;
  /** What can still be spent of it. */
  readonly left: Quarters;
  readonly source: RewardSource;
  /** What it was granted for; each source grants once for a key. */
  readonly key: string;
  /** The app whose spend earned it; null for the operator's. */
  readonly appId: AppId | null;
  readonly grantedAt: Date;
};

export type NewReward = Omit<Reward, 'left' | 'grantedAt'>;

type RewardRow = {
  id: string;
  user_id: string;
  amount: bigint;
  left: bigint;
  source: RewardSource;
  key: string;
  app_id: string | null;
  granted_at: Date;
};

const COLUMNS = 'id, user_id, amount, greatest(amount - claimed, 0) AS left, source, key, app_id, granted_at';

const toReward = (row: RewardRow): Reward => ({
  id: row.id as RewardId,
  userId: row.user_id as UserId,
  amount: asQuarters(row.amount),
  left: asQuarters(row.left),
  source: row.source,
  key: row.key,
  appId: row.app_id as AppId | null,
  grantedAt: row.granted_at,
});

/** Quarters granted to the user and not yet claimed. */
export async function unclaimedRewards({ query }: { query: Query }, userId: UserId): Promise<Quarters> {
  const [row] = await query<{ total: bigint }>(
    'SELECT coalesce(sum(amount - claimed), 0)::bigint AS total FROM rewards WHERE user_id = $1 AND claimed < amount',
    [userId],
  );
  return asQuarters(row?.total ?? 0n);
}

/** Everything that was ever granted to the user, oldest first. */
export async function listRewards({ query }: { query: Query }, userId: UserId): Promise<Reward[]> {
  const rows = await query<RewardRow>(`SELECT ${COLUMNS} FROM rewards WHERE user_id = $1 ORDER BY id`, [userId]);
  return rows.map(toReward);
}

/** What `source` has granted for these keys. */
export async function findRewards(
  { query }: { query: Query },
  source: RewardSource,
  keys: readonly string[],
): Promise<Reward[]> {
  if (keys.length === 0) return [];
  const rows = await query<RewardRow>(`SELECT ${COLUMNS} FROM rewards WHERE source = $1 AND key = ANY($2)`, [
    source,
    keys,
  ]);
  return rows.map(toReward);
}

/** Who may be granted something, and the treasury, all locked. */
export type Granting = {
  readonly treasury: { readonly address: Address; readonly posted: Quarters; readonly held: Quarters };
  /** Those of the users whose account is not closed, and stays so. */
  readonly open: ReadonlySet<UserId>;
};

/** Locks the treasury, so that grants come one after another from here on, and the users' accounts, so that nobody leaves meanwhile. */
export async function lockForGrants({ query }: Tx, users: readonly UserId[]): Promise<Granting> {
  const rows = await query<{
    address: string;
    user_id: string | null;
    posted: bigint;
    held: bigint;
    open: boolean;
  }>(
    `SELECT address, user_id, posted, held, closed_at IS NULL AS open FROM accounts
      WHERE kind = 'treasury' OR user_id = ANY($1) ORDER BY address FOR NO KEY UPDATE`,
    [[...new Set(users)]],
  );
  const treasury = rows.find(({ user_id }) => user_id === null);
  if (!treasury) throw new Error('There is no treasury yet: the contracts are not set up');
  return {
    treasury: {
      address: asAddress(treasury.address),
      posted: asQuarters(treasury.posted),
      held: asQuarters(treasury.held),
    },
    open: new Set(rows.flatMap(({ user_id, open }) => (user_id && open ? [user_id as UserId] : []))),
  };
}

/** Stores rewards, after `lockForGrants`. Their sum must be added to what the treasury holds. */
export async function insertRewards({ query }: Tx, rewards: readonly NewReward[]): Promise<void> {
  if (rewards.length === 0) return;
  await query(
    `INSERT INTO rewards (id, user_id, amount, source, key, app_id)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])`,
    [
      rewards.map((r) => r.id),
      rewards.map((r) => r.userId),
      rewards.map((r) => r.amount),
      rewards.map((r) => r.source),
      rewards.map((r) => r.key),
      rewards.map((r) => r.appId),
    ],
  );
}

/**
 * Ends what is left of the rewards of the users of these accounts, also of what came back from a cancelled transfer, and lets go of
 * what the treasury holds for it. At most `most` rewards at once; returns how many.
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
