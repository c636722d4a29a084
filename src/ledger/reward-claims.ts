import type { RewardId, TransferId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

/** A reward of which something is left. */
export type LockedReward = { readonly id: RewardId; left: Quarters };

/** What a transfer from the treasury takes of a reward. */
export type Claim = { readonly rewardId: RewardId; readonly transferId: TransferId; readonly amount: Quarters };

/** Locks what is left of these users' rewards, in the order of their ids: each user's oldest first. */
export async function lockRewards({ query }: Tx, users: readonly UserId[]): Promise<Map<UserId, LockedReward[]>> {
  const rewards = new Map<UserId, LockedReward[]>();
  if (users.length === 0) return rewards;
  const rows = await query<{ id: string; user_id: string; left: bigint }>(
    `SELECT id, user_id, amount - claimed AS left FROM rewards
      WHERE user_id = ANY($1) AND claimed < amount ORDER BY id FOR NO KEY UPDATE`,
    [[...new Set(users)]],
  );
  for (const { id, user_id, left } of rows) {
    const userId = user_id as UserId;
    const reward = { id: id as RewardId, left: asQuarters(left) };
    rewards.set(userId, [...(rewards.get(userId) ?? []), reward]);
  }
  return rewards;
}

/** Takes quarters out of locked rewards. What the treasury holds for them, it holds for the transfers from then on. */
export async function storeClaims({ query }: Tx, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const columns = [claims.map((c) => c.transferId), claims.map((c) => c.rewardId), claims.map((c) => c.amount)];
  await query(
    `INSERT INTO reward_claims (transfer_id, reward_id, amount)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[])`,
    columns,
  );
  await query(
    `UPDATE rewards SET claimed = claimed + change.amount
       FROM (SELECT reward_id, sum(amount)::bigint AS amount FROM unnest($1::uuid[], $2::bigint[]) AS claim (reward_id, amount)
              GROUP BY reward_id) AS change
      WHERE rewards.id = change.reward_id`,
    columns.slice(1),
  );
}

/** The chain has cancelled these transfers: their claims can be spent again. Returns what the treasury holds more for that, and whose they are. */
export async function returnClaims(
  tx: Tx,
  transfers: readonly TransferId[],
): Promise<{ readonly held: bigint; readonly users: readonly UserId[] }> {
  const changed = await changeClaims(tx, transfers, -1n);
  return { held: sumOf(changed), users: [...new Set(changed.map(({ user_id }) => user_id as UserId))] };
}

/**
 * The cancellation of these transfers was orphaned: they may be paid after all, and take their claims back. Returns what the
 * treasury holds less for the rewards (a negative number); of a reward that was spent again meanwhile nothing is left to take.
 */
export async function retakeClaims(tx: Tx, transfers: readonly TransferId[]): Promise<bigint> {
  return sumOf(await changeClaims(tx, transfers, 1n));
}

type ChangedReward = { readonly user_id: string; readonly held: bigint };

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
     RETURNING user_id, greatest(rewards.amount - claimed, 0) - greatest(rewards.amount - claimed + change.amount, 0) AS held`,
    [transfers, sign],
  );
}

function sumOf(changed: readonly ChangedReward[]): bigint {
  return changed.reduce((sum, { held }) => sum + held, 0n);
}
