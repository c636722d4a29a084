import type { RewardId, TransferId, UserId } from '../base/ids.ts';
import { asQuarters, lesser, type Quarters } from '../base/quarters.ts';
import { columnsOf, jsonRows, type Tx } from '../db/database.ts';
import { SPENT_UNKNOWN } from './rewards.ts';

/** A locked reward that is not used up. */
export type LockedReward = { readonly id: RewardId; left: Quarters };

/** What a transfer from the treasury takes from a reward. */
export type Claim = { readonly rewardId: RewardId; readonly transferId: TransferId; readonly amount: Quarters };

/** What a payment takes of one reward. */
export type RewardPart = Pick<Claim, 'rewardId' | 'amount'>;

/** Locks these users' rewards that are not used up, in the order of their ids: each user's oldest first. */
export async function lockRewards({ query }: Tx, users: readonly UserId[]): Promise<Map<UserId, LockedReward[]>> {
  const rewards = new Map<UserId, LockedReward[]>();
  if (users.length === 0) return rewards;
  const rows = await query<LockedReward & { readonly userId: UserId }>(
    `SELECT id, user_id AS "userId", amount - claimed AS left FROM rewards
      WHERE user_id = ANY($1) AND claimed < amount ORDER BY id FOR NO KEY UPDATE`,
    [[...new Set(users)]],
  );
  for (const { userId, ...reward } of rows) rewards.set(userId, [...(rewards.get(userId) ?? []), reward]);
  return rewards;
}

/** Those of these transfers that have taken something from rewards. */
export async function transfersWithClaims(
  { query }: Tx,
  transfers: readonly TransferId[],
): Promise<ReadonlySet<TransferId>> {
  const rows = await query<{ id: TransferId }>(
    'SELECT DISTINCT transfer_id AS id FROM reward_claims WHERE transfer_id = ANY($1::uuid[])',
    [transfers],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Takes quarters from locked rewards. The treasury's hold for them becomes its hold for the transfers. */
export async function storeClaims({ query }: Tx, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await Promise.all([
    query(
      `INSERT INTO reward_claims (transfer_id, reward_id, amount)
     SELECT * FROM jsonb_to_recordset($1) AS claim ("transferId" uuid, "rewardId" uuid, amount bigint)`,
      [jsonRows(claims)],
    ),
    query(
      `UPDATE rewards SET claimed = claimed + change.amount
       FROM (SELECT id, sum(amount)::bigint AS amount
               FROM unnest($1::uuid[], $2::bigint[]) AS claim (id, amount) GROUP BY id) AS change
      WHERE rewards.id = change.id`,
      columnsOf(claims, ['rewardId', 'amount']),
    ),
  ]);
}

// What was spent of a reward that a restored database lacks is a reward of its own, with one claim (`features/restore/claim-spent-rewards.ts`).
const OF_LOST = `user_id = $1 AND source = 'operator' AND starts_with(key, '${SPENT_UNKNOWN}') AND claimed = amount`;

/** What a user has spent of rewards that a restored database lacks. Exact while the treasury is locked. */
export async function spentOfLostRewards({ query }: Tx, userId: UserId): Promise<Quarters> {
  const [row] = await query<{ sum: Quarters }>(
    `SELECT coalesce(sum(amount), 0)::bigint AS sum FROM rewards WHERE ${OF_LOST}`,
    [userId],
  );
  return row!.sum;
}

/** Counts so much of what a user has spent of lost rewards as spent of this one. The treasury is locked. */
export async function claimLostRewards(
  { query }: Tx,
  userId: UserId,
  rewardId: RewardId,
  amount: Quarters,
): Promise<void> {
  if (amount === 0n) return;
  const lost = await query<LockedReward>(
    `SELECT id, amount AS left FROM rewards WHERE ${OF_LOST} ORDER BY id FOR NO KEY UPDATE`,
    [userId],
  );
  let missing: bigint = amount;
  for (const { id, left } of lost) {
    const taken = lesser(left, asQuarters(missing));
    if (taken === 0n) break;
    missing -= taken;
    await query(
      `INSERT INTO reward_claims (transfer_id, reward_id, amount) SELECT transfer_id, $1, $3 FROM reward_claims WHERE reward_id = $2`,
      [rewardId, id, taken],
    );
    if (taken === left) {
      await query('DELETE FROM reward_claims WHERE reward_id = $1', [id]);
      await query('DELETE FROM rewards WHERE id = $1', [id]);
    } else {
      await query('UPDATE reward_claims SET amount = amount - $2 WHERE reward_id = $1', [id, taken]);
      await query('UPDATE rewards SET amount = amount - $2, claimed = claimed - $2 WHERE id = $1', [id, taken]);
    }
  }
  await query('UPDATE rewards SET claimed = claimed + $2 WHERE id = $1', [rewardId, amount]);
}

/** Returns the claims of cancelled transfers, so that they can be spent again. Gives the increase of the treasury's hold and the users. */
export async function returnClaims(
  tx: Tx,
  transfers: readonly TransferId[],
): Promise<{ readonly held: bigint; readonly users: readonly UserId[] }> {
  const changed = await changeClaims(tx, transfers, -1n);
  return { held: sumOf(changed), users: [...new Set(changed.map(({ userId }) => userId))] };
}

/**
 * Takes claims back for transfers whose cancellation was orphaned: they may be paid after all. Returns the change of the treasury's
 * hold for rewards, a negative number. A reward that was spent again meanwhile has nothing left to take.
 */
export async function retakeClaims(tx: Tx, transfers: readonly TransferId[]): Promise<bigint> {
  return sumOf(await changeClaims(tx, transfers, 1n));
}

type ChangedReward = { readonly userId: UserId; readonly held: bigint };

async function changeClaims({ query }: Tx, transfers: readonly TransferId[], sign: 1n | -1n): Promise<ChangedReward[]> {
  if (transfers.length === 0) return [];
  return query<ChangedReward>(
    `WITH change AS (
       SELECT reward_id, sum(amount)::bigint * $2::bigint AS amount FROM reward_claims
        WHERE transfer_id = ANY($1::uuid[]) GROUP BY reward_id
     ), locked AS (
       SELECT id FROM rewards JOIN change ON reward_id = id ORDER BY id FOR NO KEY UPDATE OF rewards)
     UPDATE rewards SET claimed = claimed + change.amount FROM change JOIN locked ON locked.id = change.reward_id
      WHERE rewards.id = change.reward_id
     RETURNING user_id AS "userId",
       greatest(rewards.amount - claimed, 0) - greatest(rewards.amount - claimed + change.amount, 0) AS held`,
    [transfers, sign],
  );
}

function sumOf(changed: readonly ChangedReward[]): bigint {
  return changed.reduce((sum, { held }) => sum + held, 0n);
}
