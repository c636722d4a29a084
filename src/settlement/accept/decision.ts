import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { Settings } from '../../config/settings.ts';
import type { ItemOutcome } from '../../db/group-commit.ts';
import { keyId, type StoredAnswer } from '../../idempotency/keys.ts';
import { capKey, type DayCap } from '../../identity/key-caps.ts';
import { mandateKey } from '../../identity/mandates.ts';
import type { Claim, LockedReward } from '../../ledger/reward-claims.ts';
import { after } from '../../requests/states.ts';
import {
  type Accepted,
  type Approval,
  amountTooLarge,
  guestMerged,
  type Instruction,
  notRefundable,
  quartersUnconfirmed,
  refundTooLarge,
} from '../../service/instruction.ts';
import { countWithdrawn, refuseWithdrawal, type WithdrawalLimits } from './decide-withdrawal.ts';
import { replay } from './idempotent-answers.ts';
import type { GroupKeys, LockedRows } from './lock-set.ts';
import { refuseMember, refuseStopped } from './refuse-stopped.ts';
import { keysOf, refundedBy, usedKey } from './wanted-rows.ts';

/** `supportUrl`: whom a refusal names. */
type Rules = Pick<Settings, 'supportUrl'> & WithdrawalLimits;

/** What an instruction takes of one reward. */
export type RewardPart = Pick<Claim, 'rewardId' | 'amount'>;

/** The decision about an instruction on the locked rows. */
type Decision =
  /** `rewards`: the part that the treasury pays; the payer pays the rest. */
  | { readonly kind: 'accepted'; readonly rewards: readonly RewardPart[] }
  /** Approved before: the outcome of that decision is the answer. */
  | { readonly kind: 'repeated'; readonly requestId: RequestId }
  | Refusal;

type Refusal = { readonly kind: 'refused'; readonly problem: Problem };

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
  const { origin, transferId, from, amount } = instruction;
  const early = decideOrigin(instruction, rows) ?? refuse(instruction, rows, rules);
  if (early) return early;

  const rewards = origin.kind === 'approval' ? (rows.rewards.get(origin.userId) ?? []) : [];
  const parts = claimable(rewards, amount);
  const own = amount - sumOf(parts);
  const payer = rows.accounts.get(from);
  // An account below zero cannot spend even a reward.
  if (!payer || payer.posted - payer.held < own) return refuseShort(instruction, amount - own, rows);

  payer.held = asQuarters(payer.held + own);
  const cap = capOf(instruction, rows);
  if (cap) cap.today = asQuarters(cap.today + amount);
  if (origin.kind === 'withdrawal') countWithdrawn(origin, amount, rows);
  for (const { rewardId, amount: taken } of parts) {
    const locked = rewards.find(({ id }) => id === rewardId)!;
    locked.left = asQuarters(locked.left - taken);
  }
  const refundOf = refundedBy(origin);
  if (refundOf) rows.refunds.set(refundOf, asQuarters((rows.refunds.get(refundOf) ?? 0n) + amount));
  if (origin.kind === 'approval') {
    rows.approvedHere.set(origin.requestId, transferId);
    const mandate = origin.by === 'mandate' ? rows.mandates.get(mandateKey(origin)) : undefined;
    if (mandate) mandate.spentToday = asQuarters(mandate.spentToday + amount);
  }
  return { kind: 'accepted', rewards: parts };
}

/** Decides by the request that an instruction approves or refunds; null if that allows it. */
function decideOrigin({ origin, amount }: Instruction, rows: LockedRows): Decision | null {
  if (origin.kind === 'approval') return decideApproval(origin, amount, rows);
  const refundOf = refundedBy(origin);
  return refundOf && decideRefund(refundOf, amount, rows);
}

function decideApproval(approval: Approval, amount: Quarters, rows: LockedRows): Decision | null {
  const request = rows.requests.get(approval.requestId);
  if (!request) return refused('not-found', 'There is no such request.');
  if (rows.approvedHere.has(request.id)) return { kind: 'repeated', requestId: request.id };
  if (after(request.status, 'approve') === null) {
    const wasApproved =
      request.status === 'approved' || request.status === 'submitted' || request.status === 'completed';
    if (wasApproved) return { kind: 'repeated', requestId: request.id };
    return refused('request-decided', `The request is ${request.status}.`);
  }
  if (approval.session !== undefined && !rows.sessions.has(approval.session)) {
    return refused('token-expired', 'You have signed out. Open the payment again.');
  }
  // Conversion to a full user ends everything that the guest's tokens allow.
  if (approval.guest && !rows.guests.has(approval.userId)) {
    return refused('not-found', 'There is no such request for you.');
  }
  if (approval.by !== 'mandate') return null;
  const mandate = rows.mandates.get(mandateKey(approval));
  if (!mandate) {
    return refused('auto-approve-not-granted', 'The user has not allowed this app to take quarters without asking.');
  }
  if (amount > mandate.maxPerTransfer) {
    return refused(
      'auto-approve-limit',
      `The mandate allows ${mandate.maxPerTransfer} quarters per payment; ${amount} are needed.`,
    );
  }
  if (mandate.spentToday + amount > mandate.maxPerDay) {
    const left = mandate.maxPerDay - mandate.spentToday;
    return refused('auto-approve-limit', `The mandate allows ${left > 0n ? left : 0n} more quarters today.`);
  }
  return null;
}

/** A payment that a reorganisation reverted is not refunded until it is paid again. */
function decideRefund(id: RequestId, amount: Quarters, rows: LockedRows): Decision | null {
  const payment = rows.requests.get(id);
  if (!payment) return refused('not-found', 'There is no such request.');
  if (payment.status !== 'completed') return { kind: 'refused', problem: notRefundable(payment.status) };
  const left = payment.amount - (rows.refunds.get(id) ?? 0n);
  return amount <= left ? null : { kind: 'refused', problem: refundTooLarge(left) };
}

/** Refuses what the limit of an amount, the API key or the recipient forbids; null if they allow it. */
function refuse(instruction: Instruction, rows: LockedRows, rules: Rules): Refusal | null {
  const { origin, to, amount } = instruction;
  if ((origin.kind === 'approval' || origin.kind === 'payout') && amount > rules.maxAmount) {
    return { kind: 'refused', problem: amountTooLarge(rules.maxAmount) };
  }
  const key = usedKey(origin);
  const cap = capOf(instruction, rows);
  if (key && (rows.revokedKeys.has(capKey(key.hash)) || (key.cap && !cap))) {
    return refused('token-invalid', 'The credential was revoked.');
  }
  const stopped = refuseMember(instruction, rows) ?? refuseStopped(instruction, rows, rules);
  const problem = stopped ?? refuseWithdrawal(instruction, rows, rules);
  if (problem) return { kind: 'refused', problem };
  // A payment to a closed account would go where the rest goes, and the app would not learn of it.
  if (rows.closed.has(to)) {
    if (rows.closed.get(to)) return { kind: 'refused', problem: guestMerged() };
    return refundedBy(origin)
      ? refused('account-closed', "The user's account is closed, so it cannot be paid.")
      : refused('not-found', 'There is no such user.');
  }
  if (cap && cap.today + amount > cap.perDay) {
    const what = origin.kind === 'approval' ? 'approve' : 'pay out';
    return refused('key-limit', `This server API key may ${what} ${cap.perDay} quarters a day (UTC).`);
  }
  return null;
}

/** The daily cap of the instruction's API key; undefined if the key has none or is revoked. */
function capOf({ origin }: Instruction, { keyDays }: LockedRows): DayCap | null | undefined {
  const key = usedKey(origin);
  return key?.cap && keyDays.get(capKey(key.hash))?.[key.cap];
}

/** The payer lacks quarters. `reward`: what rewards would pay. */
function refuseShort({ from, amount }: Instruction, reward: bigint, rows: LockedRows): Refusal {
  const payer = rows.accounts.get(from);
  const free = payer ? payer.posted - payer.held : 0n;
  const orphaned = rows.orphaned.get(from) ?? asQuarters(0);
  if (payer && free + orphaned >= amount - reward) return { kind: 'refused', problem: quartersUnconfirmed(orphaned) };
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

function refused(code: ConstructorParameters<typeof Problem>[0], detail: string): Refusal {
  return { kind: 'refused', problem: new Problem(code, detail) };
}
