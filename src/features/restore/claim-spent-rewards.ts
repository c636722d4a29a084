import { newRewardId, type RequestId, type UserId } from '../../base/ids.ts';
import { asQuarters, lesser } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { applyChanges, BalanceChanges } from '../../ledger/postings.ts';
import { type Claim, lockRewards, storeClaims, transfersWithClaims } from '../../ledger/reward-claims.ts';
import { insertRewards, type NewReward, SPENT_UNKNOWN } from '../../ledger/rewards.ts';
import type { UnnamedPayment } from '../../settlement/tables/recovered.ts';

/** What a reward has paid of a request, as the chain shows it. */
export type SpentReward = {
  readonly requestId: RequestId;
  readonly userId: UserId;
  readonly reward: Pick<UnnamedPayment, 'id' | 'amount'>;
};

/**
 * Takes what rewards paid from the users' rewards, the oldest first, and from the treasury's hold for them. What was spent of a reward that was
 * granted since the backup is recorded as a reward that is used up. It counts for the next grant with a key, and for the welcome reward
 * ({@link SPENT_UNKNOWN}). What was taken before stays.
 */
export async function claimSpentRewards(tx: Tx, shown: readonly SpentReward[]): Promise<void> {
  if (shown.length === 0) return;
  const claimed = await transfersWithClaims(
    tx,
    shown.map(({ reward }) => reward.id),
  );
  const spent = shown.filter(({ reward }) => !claimed.has(reward.id));
  if (spent.length === 0) return;
  const users = [...new Set(spent.map(({ userId }) => userId))];
  const rewards = await lockRewards(tx, users);
  const claims: Claim[] = [];
  const lost: NewReward[] = [];
  let released = 0n;
  for (const { requestId, userId, reward } of spent) {
    let missing: bigint = reward.amount;
    const claim = (rewardId: Claim['rewardId'], amount: bigint) => {
      missing -= amount;
      if (amount > 0n) claims.push({ rewardId, transferId: reward.id, amount: asQuarters(amount) });
    };
    for (const locked of rewards.get(userId) ?? []) {
      const amount = lesser(locked.left, asQuarters(missing));
      locked.left = asQuarters(locked.left - amount);
      released += amount;
      claim(locked.id, amount);
    }
    if (missing === 0n) continue;
    const [id, amount] = [newRewardId(), asQuarters(missing)];
    lost.push({ id, userId, amount, source: 'operator', key: `${SPENT_UNKNOWN}${requestId}`, appId: null });
    claim(id, amount);
  }
  await insertRewards(tx, lost);
  await storeClaims(tx, claims);
  const changes = new BalanceChanges();
  changes.add((await findTreasury(tx)).address, { held: -released });
  await applyChanges(tx, changes);
}
