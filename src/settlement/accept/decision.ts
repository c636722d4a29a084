import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { ItemOutcome } from '../../db/group-commit.ts';
import { keyId, type StoredAnswer } from '../../idempotency/keys.ts';
import type { LockedReward, RewardPart } from '../../ledger/reward-claims.ts';
import { type Accepted, guestMerged, type Instruction, quartersUnconfirmed } from '../../service/instruction.ts';
import { replay } from './idempotent-answers.ts';
import { kindOfPayment } from './kinds.ts';
import type { GroupKeys, LockedRows } from './lock-set.ts';
import { capOf, type Decision, type RefusedPayment, type Rules, refused, refuseWith } from './refusals.ts';
import { keysOf, type UsedKey } from './wanted-rows.ts';

/** The result for an instruction in its group. */
export type GroupDecision =
  | Decision
  /** Answered from what an earlier transaction stored. */
  | { readonly kind: 'answered'; readonly outcome: ItemOutcome<Accepted> }
  /** Answered like the accepted instruction at this place of the group, which has the same idempotency key. */
  | { readonly kind: 'equal'; readonly place: number };

/** What an idempotency key belongs to after an instruction with it was accepted in this group. */
type Bound = Pick<StoredAnswer, 'bodyHash'> & { readonly place: number };

/**
 * Decides a group of instructions in order, each on what the earlier ones left. If an equal instruction was refused,
 * the next is decided by itself, because it may come with another credential or find another state. `done`: what an
 * earlier try of these instructions stored.
 */
export function decideGroup(
  instructions: readonly Instruction[],
  { stored }: GroupKeys,
  rows: LockedRows,
  done: ReadonlyMap<Instruction, Accepted>,
  rules: Rules,
): GroupDecision[] {
  const boundHere = new Map<string, Bound>();
  return instructions.map((instruction, place) => {
    const decision =
      foundDone(instruction, done) ??
      answeredBy(instruction, stored, boundHere) ??
      decideInstruction(instruction, rows, rules);
    if (decision.kind === 'accepted' || decision.kind === 'repeated') {
      for (const key of keysOf(instruction)) {
        const id = keyId(key);
        if (!boundHere.has(id)) boundHere.set(id, { bodyHash: key.bodyHash, place });
      }
    }
    return decision;
  });
}

function foundDone(instruction: Instruction, done: ReadonlyMap<Instruction, Accepted>): GroupDecision | null {
  const result = done.get(instruction);
  return result ? { kind: 'answered', outcome: { ok: true, result } } : null;
}

/** The answer that the instruction's keys give; null if it is still to be decided. */
function answeredBy(
  { idempotency, callKey }: Instruction,
  stored: GroupKeys['stored'],
  boundHere: ReadonlyMap<string, Bound>,
): GroupDecision | null {
  if (callKey) {
    const owner = stored.get(keyId(callKey)) ?? boundHere.get(keyId(callKey));
    const outcome = owner && replay({ bodyHash: owner.bodyHash, answer: {} }, callKey);
    if (outcome?.ok === false) return { kind: 'answered', outcome };
  }
  if (!idempotency) return null;
  const earlier = stored.get(keyId(idempotency));
  if (earlier) return { kind: 'answered', outcome: replay(earlier, idempotency) };
  const equal = boundHere.get(keyId(idempotency));
  if (!equal) return null;
  const outcome = replay({ bodyHash: equal.bodyHash, answer: {} }, idempotency);
  return outcome.ok ? { kind: 'equal', place: equal.place } : { kind: 'answered', outcome };
}

/** Decides one instruction. If it is accepted, takes its claims of rewards and holds the rest in `rows`. */
export function decideInstruction(instruction: Instruction, rows: LockedRows, rules: Rules): Decision {
  const { origin, from, amount } = instruction;
  const kind = kindOfPayment(origin);
  const key = kind.key(origin);
  const early =
    kind.refuse(instruction, rows, rules) ?? refuseClosed(instruction, rows) ?? refuseBeyondCap(key, amount, rows);
  if (early) return early;

  const rewarded = kind.rewarded(origin);
  const rewards = rewarded ? (rows.rewards.get(rewarded) ?? []) : [];
  const parts = claimable(rewards, amount);
  const own = amount - sumOf(parts);
  const payer = rows.accounts.get(from);
  // An account below zero cannot spend even a reward.
  if (!payer || payer.posted - payer.held < own) return refuseShort(instruction, amount - own, rows);

  payer.held = asQuarters(payer.held + own);
  const cap = capOf(key, rows);
  if (cap) cap.today = asQuarters(cap.today + amount);
  for (const { rewardId, amount: taken } of parts) {
    const locked = rewards.find(({ id }) => id === rewardId)!;
    locked.left = asQuarters(locked.left - taken);
  }
  kind.count(instruction, rows);
  return { kind: 'accepted', rewards: parts };
}

/** A payment to a closed account would go where the rest goes, and the app would not learn of it. */
function refuseClosed({ origin, to }: Instruction, { closed }: LockedRows): RefusedPayment | null {
  if (!closed.has(to)) return null;
  if (closed.get(to)) return refuseWith(guestMerged());
  return kindOfPayment(origin).makes(origin)?.refundOf
    ? refused('account-closed', "The user's account is closed, so it cannot be paid.")
    : refused('not-found', 'There is no such user.');
}

function refuseBeyondCap(key: UsedKey | null, amount: Quarters, rows: LockedRows): RefusedPayment | null {
  const cap = capOf(key, rows);
  if (!cap || cap.today + amount <= cap.perDay) return null;
  const what = key?.cap === 'approve' ? 'approve' : 'pay out';
  return refused('key-limit', `This server API key may ${what} ${cap.perDay} quarters a day (UTC).`);
}

/** The payer lacks quarters. `reward`: what rewards would pay. */
function refuseShort({ from, amount }: Instruction, reward: bigint, rows: LockedRows): RefusedPayment {
  const payer = rows.accounts.get(from);
  const free = payer ? payer.posted - payer.held : 0n;
  const orphaned = rows.orphaned.get(from) ?? asQuarters(0);
  if (payer && free + orphaned >= amount - reward) return refuseWith(quartersUnconfirmed(orphaned));
  const held = `The account holds ${free > 0n ? free : 0n} quarters`;
  const rewarded = reward > 0n ? ` and ${reward} of rewards` : '';
  return refused('insufficient-quarters', `${held}${rewarded}; ${amount} are needed.`);
}

/** As much of the rewards as the amount needs, the oldest first. */
function claimable(rewards: readonly LockedReward[], amount: Quarters): RewardPart[] {
  let missing: bigint = amount;
  return rewards.flatMap(({ id, left }) => {
    const taken = lesser(left, missing);
    missing -= taken;
    return taken > 0n ? [{ rewardId: id, amount: taken }] : [];
  });
}

export function sumOf(parts: readonly RewardPart[]): Quarters {
  return asQuarters(parts.reduce((sum, { amount }) => sum + amount, 0n));
}
