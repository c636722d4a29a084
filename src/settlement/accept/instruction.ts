import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { AppId, RequestId, TransferId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { capKey, type KeyDay } from '../../identity/key-caps.ts';
import { type Mandate, type MandateLimits, mandateKey } from '../../identity/mandates.ts';
import type { LockedAccount } from '../../ledger/accounts.ts';
import type { Claim, LockedReward } from '../../ledger/reward-claims.ts';
import type { NewRequest, TransferRequest } from '../../requests/requests.ts';
import { type Actor, after, type RequestStatus } from '../../requests/states.ts';
import { amountTooLarge } from './amount.ts';

/** One transfer that somebody wants paid. Its ids are made beforehand, so that deciding it twice has one effect. */
export type Instruction = {
  readonly transferId: TransferId;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly origin: Approval | Payout | Issue | Closing;
  /** The caller's Idempotency-Key, if there is one: the same key gives the same answer, in all processes. */
  readonly idempotency?: IdempotencyKey | undefined;
  /**
   * The key of the whole call that this instruction is part of. From the first accepted part on it belongs to that
   * call's body.
   */
  readonly callKey?: IdempotencyKey | undefined;
};

/** A user's pending request is approved: by the user on our page, or by the app under the user's mandate. */
export type Approval = {
  readonly kind: 'approval';
  readonly requestId: RequestId;
  readonly userId: UserId;
  readonly appId: AppId;
  readonly actor: Actor;
  /** `standing`: the limits of the mandate apply. */
  readonly by: 'page' | 'standing';
  /** SHA-256 of the server API key that approves under the mandate: its daily cap applies as well. */
  readonly keyHash?: Uint8Array;
  /** The session (its uid) in which a full user approves. If it has ended in the meantime, nothing is approved. */
  readonly session?: string | undefined;
  /** A guest approves. If they have become a full user in the meantime, nothing is approved. */
  readonly guest?: boolean;
  /** The mandate that the user gave by ticking the box beside the button. */
  readonly grant?: MandateLimits;
};

/**
 * An app pays a user, or refunds what the user paid (`request.refundOf`).
 *
 * `keyHash`: SHA-256 of the server API key that asked. `isCapped`: that key has a daily limit for payouts.
 */
export type Payout = {
  readonly kind: 'payout';
  readonly request: NewRequest;
  readonly keyHash: Uint8Array;
  readonly isCapped: boolean;
};

/** The operator issues quarters from the treasury. */
export type Issue = { readonly kind: 'issue' };

/** The balance of a closed account goes back to the treasury. */
export type Closing = { readonly kind: 'closing' };

export type Accepted = {
  readonly transferId: TransferId;
  readonly requestId: RequestId | null;
  /** The hash of the signed transaction. The one on the chain may be a replacement. */
  readonly txHash: Hash;
  /** The answer comes from an earlier call with the same Idempotency-Key. */
  readonly replayed?: true;
};

/** The locked rows on which an instruction is decided. Accepting one instruction changes them for the next. */
export type LockedRows = {
  readonly keyDays: ReadonlyMap<string, KeyDay>;
  /** Keys without a cap are not locked, but the account they pay from is. */
  readonly revokedKeys: ReadonlySet<string>;
  /** Approving guests who are still guests. */
  readonly guests: ReadonlySet<UserId>;
  readonly requests: ReadonlyMap<RequestId, TransferRequest>;
  readonly standing: ReadonlyMap<string, Mandate>;
  /** Sessions (uids) of the instructions that have not ended. */
  readonly sessions: ReadonlySet<string>;
  /** What is left of the users' rewards, oldest first. */
  readonly rewards: ReadonlyMap<UserId, readonly LockedReward[]>;
  readonly accounts: ReadonlyMap<Address, LockedAccount>;
  /** For payers who may lack quarters: what a reorganisation took from them and the chain may bring back. */
  readonly orphaned: ReadonlyMap<Address, Quarters>;
  /**
   * Recipients of payouts whose account was closed. They are not locked: an account closed during the decision is swept
   * afterwards.
   */
  readonly closed: ReadonlySet<Address>;
  /** What was refunded of payments, or is on its way back. */
  readonly refunded: Map<RequestId, Quarters>;
  /** Requests approved earlier in the same group. */
  readonly approvedHere: Map<RequestId, TransferId>;
};

/** What an instruction takes of one reward. */
export type RewardPart = Pick<Claim, 'rewardId' | 'amount'>;

/** The decision about an instruction on the locked rows. */
export type Decision =
  /** `rewards`: the part that the treasury pays; the payer pays the rest. */
  | { readonly kind: 'accepted'; readonly rewards: readonly RewardPart[] }
  /** Approved before: the outcome of that decision is the answer. */
  | { readonly kind: 'repeated'; readonly requestId: RequestId }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Decides one instruction. If it is accepted, takes its claims of rewards and holds the rest in `rows`. `maxAmount`:
 * the most that apps and users may move at once.
 */
export function decideInstruction(order: Instruction, rows: LockedRows, maxAmount: Quarters): Decision {
  const refundOf = refundedBy(order.origin);
  const verdict =
    order.origin.kind === 'approval'
      ? mayBeApproved(order.origin, order.amount, rows)
      : refundOf && mayBeRefunded(refundOf, order.amount, rows);
  if (verdict) return verdict;
  if ((order.origin.kind === 'approval' || order.origin.kind === 'payout') && order.amount > maxAmount) {
    return { kind: 'refused', problem: amountTooLarge(maxAmount) };
  }
  const key = usedKey(order.origin);
  const id = key && capKey(key.hash);
  const cap = key?.cap && rows.keyDays.get(id!)?.[key.cap];
  if (key && (rows.revokedKeys.has(id!) || (key.cap && !cap))) {
    return refused('token-invalid', 'The credential was revoked.');
  }
  // A payment to a closed account would go to the treasury with the rest.
  if (rows.closed.has(order.to)) {
    return refundOf
      ? refused('account-closed', "The user's account is closed, so it cannot be paid.")
      : refused('not-found', 'There is no such user.');
  }
  if (cap && cap.today + order.amount > cap.perDay) {
    const what = order.origin.kind === 'approval' ? 'approve' : 'pay out';
    return refused('key-limit', `This server API key may ${what} ${cap.perDay} quarters a day (UTC).`);
  }
  const rewards = order.origin.kind === 'approval' ? (rows.rewards.get(order.origin.userId) ?? []) : [];
  const parts = claimable(rewards, order.amount);
  const reward = sumOf(parts);
  const own = order.amount - reward;
  const payer = rows.accounts.get(order.from);
  const free = payer ? payer.posted - payer.held : 0n;
  // An account below zero cannot spend even a reward.
  if (!payer || free < own) {
    const orphaned = rows.orphaned.get(order.from) ?? asQuarters(0);
    if (payer && free + orphaned >= own) return { kind: 'refused', problem: quartersUnconfirmed(orphaned) };
    const held = `The account holds ${free > 0n ? free : 0n} quarters`;
    const rewarded = reward > 0n ? ` and ${reward} of rewards` : '';
    return refused('insufficient-quarters', `${held}${rewarded}; ${order.amount} are needed.`);
  }
  payer.held = asQuarters(payer.held + own);
  if (cap) cap.today = asQuarters(cap.today + order.amount);
  for (const { rewardId, amount } of parts) {
    const locked = rewards.find(({ id }) => id === rewardId)!;
    locked.left = asQuarters(locked.left - amount);
  }
  if (refundOf) rows.refunded.set(refundOf, asQuarters((rows.refunded.get(refundOf) ?? 0n) + order.amount));
  if (order.origin.kind === 'approval') {
    rows.approvedHere.set(order.origin.requestId, order.transferId);
    const standing = rows.standing.get(mandateKey(order.origin));
    if (standing && order.origin.by === 'standing')
      standing.spentToday = asQuarters(standing.spentToday + order.amount);
  }
  return { kind: 'accepted', rewards: parts };
}

/** The server API key that an instruction came with. `cap`: which of its caps applies; null for none. */
export type UsedKey = { readonly hash: Uint8Array; readonly cap: 'pay' | 'approve' | null };

export function usedKey(origin: Instruction['origin']): UsedKey | null {
  if (origin.kind === 'payout') return { hash: origin.keyHash, cap: origin.isCapped ? 'pay' : null };
  // Every key that may approve has a cap.
  return origin.kind === 'approval' && origin.keyHash ? { hash: origin.keyHash, cap: 'approve' } : null;
}

/** The payment that an instruction refunds. */
export function refundedBy(origin: Instruction['origin']): RequestId | null {
  return origin.kind === 'payout' ? (origin.request.refundOf ?? null) : null;
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

function mayBeApproved(approval: Approval, amount: Quarters, rows: LockedRows): Decision | null {
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
  if (approval.by !== 'standing') return null;
  const standing = rows.standing.get(mandateKey(approval));
  if (!standing) {
    return refused('auto-approve-not-granted', 'The user has not allowed this app to take quarters without asking.');
  }
  if (amount > standing.maxPerTransfer) {
    return refused(
      'auto-approve-limit',
      `The mandate allows ${standing.maxPerTransfer} quarters per payment; ${amount} are needed.`,
    );
  }
  if (standing.spentToday + amount > standing.maxPerDay) {
    const left = standing.maxPerDay - standing.spentToday;
    return refused('auto-approve-limit', `The mandate allows ${left > 0n ? left : 0n} more quarters today.`);
  }
  return null;
}

/** A payment that a reorganisation reverted is not refunded until it is paid again. */
function mayBeRefunded(id: RequestId, amount: Quarters, rows: LockedRows): Decision | null {
  const payment = rows.requests.get(id);
  if (!payment) return refused('not-found', 'There is no such request.');
  if (payment.status !== 'completed') return { kind: 'refused', problem: notRefundable(payment.status) };
  const left = payment.amount - (rows.refunded.get(id) ?? 0n);
  return amount <= left ? null : { kind: 'refused', problem: refundTooLarge(left) };
}

export function notRefundable(status: RequestStatus): Problem {
  return new Problem('not-refundable', `The request is ${status}; only a completed payment can be refunded.`);
}

/** `left`: quarters of the payment that are not refunded yet. */
export function refundTooLarge(left: bigint): Problem {
  return new Problem(
    'refund-too-large',
    left > 0n ? `${left} quarters are left to refund.` : 'All of it was refunded.',
  );
}

/** `orphaned`: quarters that a reorganisation took from the payer. */
export function quartersUnconfirmed(orphaned: Quarters): Problem {
  return new Problem(
    'quarters-unconfirmed',
    `${orphaned} quarters that the account had received are being confirmed again by the chain. Try again in a moment.`,
  );
}

function refused(code: ConstructorParameters<typeof Problem>[0], detail: string): Decision {
  return { kind: 'refused', problem: new Problem(code, detail) };
}
