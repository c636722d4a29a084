import type { Address } from '../../base/address.ts';
import { newTransferId, type TransferId } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { Claim } from '../../ledger/reward-claims.ts';
import { type Instruction, type RewardPart, sumOf } from './instruction.ts';

/** One transfer of an instruction. */
export type Leg = Pick<Instruction, 'transferId' | 'from' | 'to' | 'amount'>;

/** How an accepted instruction is paid: by the payer, by the treasury if a reward covers it, or by both. */
export type Split = {
  readonly order: Instruction;
  /** One or two, in one Ethereum transaction. The first has the instruction's own transfer id. */
  readonly legs: readonly Leg[];
  readonly claims: readonly Claim[];
  /** What the payer pays. The treasury's part has been held since the reward was granted. */
  readonly own: Quarters;
};

/**
 * Splits an instruction: the treasury pays what is claimed of rewards, the payer the rest. `treasury`: null if nothing
 * is claimed.
 */
export function toSplit(order: Instruction, rewards: readonly RewardPart[], treasury: Address | null): Split {
  const reward = sumOf(rewards);
  const own = asQuarters(order.amount - reward);
  if (reward === 0n || !treasury) return { order, legs: [order], claims: [], own };
  const transferId: TransferId = own === 0n ? order.transferId : newTransferId();
  const { to } = order;
  const rewardLeg = { transferId, from: treasury, to, amount: reward };
  return {
    order,
    legs: own === 0n ? [rewardLeg] : [{ transferId: order.transferId, from: order.from, to, amount: own }, rewardLeg],
    claims: rewards.map((part) => ({ ...part, transferId })),
    own,
  };
}

/**
 * The legs of each transaction, in order and as many as fit, but the legs of one split always together. (After a revert
 * they may go on separately, as each is backed by its own hold.)
 */
export function packLegs(spends: readonly Pick<Split, 'legs'>[], mostPerTransaction: number): Leg[][] {
  const packs: Leg[][] = [];
  for (const { legs } of spends) {
    const last = packs.at(-1);
    if (last && last.length + legs.length <= mostPerTransaction) last.push(...legs);
    else packs.push([...legs]);
  }
  return packs;
}
