import type { UserId } from '../../../base/ids.ts';
import { available, findTreasury } from '../../../ledger/accounts.ts';
import { adviceFor } from '../../../service/unknown-outcome.ts';
import { grantRewardIn, refuseReward } from '../../rewards/rewards.ts';
import type { ActionDeed } from '../action-deed.ts';
import { inQuarters, nameOfUser, openUser, treasuryAfter } from '../named-subjects.ts';
import { quartersOf } from '../read-fields.ts';

/** `key`: the operator's own, which grants once for ever. Without it the action's id is the key. */
type Params = { readonly user: UserId; readonly quarters: number; readonly key: string | null };

/** Grants quarters of the treasury to a full user. */
export const GRANT_REWARD: ActionDeed<Params> = {
  waits: true,
  amount: ({ quarters }) => quartersOf(quarters),
  async preview(service, { user: id, quarters }) {
    const user = await openUser(service, id);
    refuseReward(service, user);
    const free = available(await findTreasury(service.db));
    const amount = quartersOf(quarters);
    return {
      sentence: `Grant ${nameOfUser(user)} a reward of ${inQuarters(amount)}, applied automatically to their next payments.`,
      facts: [
        ['User', id],
        ['Treasury, free', treasuryAfter(free, amount)],
      ],
      warnings: free < amount ? ['The treasury has too few free quarters.'] : [],
    };
  },
  async apply(_service, tx, { user, quarters, key }, { id, reason }) {
    const named = { key: key ?? id, isNamed: key !== null, reason };
    const { replayed, ...reward } = await grantRewardIn(tx, user, quartersOf(quarters), named);
    return { reward: reward.id, replayed };
  },
  note({ security }, { user }, { result }) {
    if (!result?.replayed) security.note('reward-granted', { userId: user, what: `${result?.reward}` });
  },
  advice: ({ user, key }) =>
    adviceFor(key ?? undefined, `Grant again only if \`quarters rewards list ${user}\` does not show it.`),
};
