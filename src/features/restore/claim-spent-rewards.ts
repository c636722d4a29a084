import { type AppId, newRewardId, type RequestId, type UserId } from '../../base/ids.ts';
import { asQuarters, lesser } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { applyChanges, BalanceChanges } from '../../ledger/postings.ts';
import { type Claim, lockRewards, storeClaims, transfersWithClaims } from '../../ledger/reward-claims.ts';
import { findRewards, insertRewards, type NewReward, SPENT_UNKNOWN } from '../../ledger/rewards.ts';
import type { Service } from '../../service/service.ts';
import type { UnnamedPayment } from '../../settlement/tables/recovered.ts';

/** What a reward has paid of a request, as the chain shows it. */
export type SpentReward = {
  readonly requestId: RequestId;
  /** Null if the app is not known. */
  readonly appId: AppId | null;
  readonly userId: UserId;
  readonly reward: Pick<UnnamedPayment, 'id' | 'amount'>;
};

/**
 * Takes what rewards paid from the users' rewards, the oldest first, and from the treasury's hold for them. What was spent of a reward that was
 * granted since the backup is recorded as a reward that is used up: as the welcome reward, which is granted once, if the user has none; otherwise
 * as one of the operator, which counts for the next grant with a key ({@link SPENT_UNKNOWN}). What was taken before stays.
 */
export async function claimSpentRewards(
  tx: Tx,
  { settings }: Pick<Service, 'settings'>,
  shown: readonly SpentReward[],
): Promise<void> {
  if (shown.length === 0) return;
  const claimed = await transfersWithClaims(
    tx,
    shown.map(({ reward }) => reward.id),
  );
  const spent = shown.filter(({ reward }) => !claimed.has(reward.id));
  if (spent.length === 0) return;
  const users = [...new Set(spent.map(({ userId }) => userId))];
  const rewards = await lockRewards(tx, users);
  const welcomed = new Set((await findRewards(tx, 'welcome', users)).map(({ userId }) => userId));
  const claims: Claim[] = [];
  const lost: NewReward[] = [];
  let released = 0n;
  for (const { requestId, appId, userId, reward } of spent) {
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
    const record = (amount: bigint, source: 'welcome' | 'operator', key: string) => {
      if (amount === 0n) return;
      const id = newRewardId();
      // It was earned in some app. Which one is lost, and this one will do: it counts for its limit of today.
      const earnedIn = source === 'welcome' ? appId : null;
      lost.push({ id, userId, amount: asQuarters(amount), source, key, appId: earnedIn });
      claim(id, amount);
    };
    if (missing > 0n && settings.welcomeReward > 0n && appId && !welcomed.has(userId)) {
      welcomed.add(userId);
      record(lesser(settings.welcomeReward, asQuarters(missing)), 'welcome', userId);
    }
    record(missing, 'operator', `${SPENT_UNKNOWN}${requestId}`);
  }
  await insertRewards(tx, lost);
  await storeClaims(tx, claims);
  const changes = new BalanceChanges();
  changes.add((await findTreasury(tx)).address, { held: -released });
  await applyChanges(tx, changes);
}
