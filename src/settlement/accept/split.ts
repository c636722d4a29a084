import type { Address } from '../../base/address.ts';
import { transferIdOf } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { PaymentName } from '../../custody/payment-nonces.ts';
import type { Claim, RewardPart } from '../../ledger/reward-claims.ts';
import type { Instruction } from '../../service/instruction.ts';
import { sumOf } from './decision.ts';
import { kindOfPayment, requestOf } from './kinds.ts';

/** One transfer of an instruction, with what it pays. `onBehalfOf`: the player for whom a reward pays. */
export type Leg = Pick<Instruction, 'transferId' | 'from' | 'to' | 'toKey' | 'amount'> & {
  readonly name: PaymentName;
  readonly onBehalfOf?: Address;
};

/** The transfer of an instruction of which a reward pays nothing. */
export function legOf(instruction: Instruction): Leg {
  return { ...instruction, name: kindOfPayment(instruction.origin).name(instruction) };
}

/** How an accepted instruction is paid: by the payer, by the treasury if a reward covers it, or by both. */
export type Split = {
  readonly instruction: Instruction;
  /** One or two, in one Ethereum transaction. The payer's is the first. */
  readonly legs: readonly Leg[];
  readonly claims: readonly Claim[];
  /** What the payer pays. The treasury's part has been held since the reward was granted. */
  readonly own: Quarters;
};

/** Splits an instruction: the treasury pays what is claimed of rewards, the payer the rest. `treasury`: null if nothing is claimed. */
export function toSplit(instruction: Instruction, rewards: readonly RewardPart[], treasury: Address | null): Split {
  const { from, to, amount } = instruction;
  const id = requestOf(instruction);
  const reward = sumOf(rewards);
  const own = asQuarters(amount - reward);
  if (reward === 0n || !treasury || !id) return { instruction, legs: [legOf(instruction)], claims: [], own };
  const rewardLeg: Leg = {
    ...{ transferId: transferIdOf(id, 'reward'), from: treasury, to, amount: reward, name: { part: 'reward', id } },
    onBehalfOf: from,
  };
  return {
    instruction,
    legs: own === 0n ? [rewardLeg] : [{ ...legOf(instruction), amount: own }, rewardLeg],
    claims: rewards.map((part) => ({ ...part, transferId: rewardLeg.transferId })),
    own,
  };
}
