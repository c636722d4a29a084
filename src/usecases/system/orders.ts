import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { AppId, RequestId, TransferId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { capKey, type KeyDay } from '../../identity/key-caps.ts';
import { type StandingApproval, type StandingLimits, standingKey } from '../../identity/standing-approvals.ts';
import type { LockedAccount } from '../../ledger/holds.ts';
import type { Claim, LockedReward } from '../../ledger/reward-claims.ts';
import type { NewRequest, TransferRequest } from '../../requests/requests.ts';
import { type Actor, after, type RequestStatus } from '../../requests/states.ts';
import { amountTooLarge } from '../amount.ts';

/** One transfer somebody wants decided. Its ids are made beforehand, so that deciding it twice is deciding it once. */
export type Order = {
  readonly transferId: TransferId;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly origin: Approval | Payout | Issue | Closing;
  /** Where the caller sent an Idempotency-Key: the same key answers the same, in all processes. */
  readonly idempotency?: IdempotencyKey | undefined;
  /** The key of the whole call this is a part of: from the first part that is accepted on it belongs to that call's body. */
  readonly callKey?: IdempotencyKey | undefined;
};

/** A user's pending request is approved: by the user on our page, or by the app under the user's standing approval. */
export type Approval = {
  readonly kind: 'approval';
  readonly requestId: RequestId;
  readonly userId: UserId;
  readonly appId: AppId;
  readonly actor: Actor;
  /** `standing`: the limits of the standing approval apply. */
  readonly by: 'page' | 'standing';
  /** SHA-256 of the server API key that approves under the standing approval: its cap a day applies as well. */
  readonly keyHash?: Uint8Array;
  /** The session (its uid) a full user approves in: where it has ended meanwhile, nothing is approved. */
  readonly session?: string | undefined;
  /** A guest approves: where they have become a full user meanwhile, nothing is approved. */
  readonly guest?: boolean;
  /** The user ticked, beside the button, that the app may go on without asking. */
  readonly grant?: StandingLimits;
};

/**
 * An app pays a user, or gives back what the user paid (`request.refundOf`).
 *
 * `keyHash`: SHA-256 of the server API key it came with. `isCapped`: which may pay so much a day only.
 */
export type Payout = {
  readonly kind: 'payout';
  readonly request: NewRequest;
  readonly keyHash: Uint8Array;
  readonly isCapped: boolean;
};

/** The operator hands out quarters from the treasury. */
export type Issue = { readonly kind: 'issue' };

/** What a closed account holds goes back to the treasury. */
export type Closing = { readonly kind: 'closing' };

export type Decided = {
  readonly transferId: TransferId;
  readonly requestId: RequestId | null;
  /** The hash of the signed transaction: on the chain it will be this one, or one that replaced it. */
  readonly txHash: Hash;
  /** The answer of an earlier call with the same Idempotency-Key. */
  readonly replayed?: true;
};

/** The rows an order is decided on, all locked. The deciding of one order changes them for the next. */
export type LockedRows = {
  readonly keyDays: ReadonlyMap<string, KeyDay>;
  /** Keys without a cap are not locked: the account they pay from is. */
  readonly revokedKeys: ReadonlySet<string>;
  /** Those of the guests who approve that are guests still. */
  readonly guests: ReadonlySet<UserId>;
  readonly requests: ReadonlyMap<RequestId, TransferRequest>;
  readonly standing: ReadonlyMap<string, StandingApproval>;
  /** Those of the orders' sessions (uids) that have not ended. */
  readonly sessions: ReadonlySet<string>;
  /** What is left of the users' rewards, oldest first. */
  readonly rewards: ReadonlyMap<UserId, readonly LockedReward[]>;
  readonly accounts: ReadonlyMap<Address, LockedAccount>;
  /** Of payers who may not have enough: what a reorganisation took from them, and the chain may bring back. */
  readonly orphaned: ReadonlyMap<Address, Quarters>;
  /** Recipients of payouts whose account was closed. Not locked: one that is closed while this is decided is swept afterwards. */
  readonly closed: ReadonlySet<Address>;
  /** What was returned of payments, or is on its way back. */
  readonly refunded: Map<RequestId, Quarters>;
  /** Requests approved earlier in this same group. */
  readonly approvedHere: Map<RequestId, TransferId>;
};

/** What an order takes of one reward. */
export type RewardPart = Pick<Claim, 'rewardId' | 'amount'>;

/** What deciding an order on the locked rows gave. */
export type Verdict =
  /** `rewards`: what the treasury pays of it; the payer pays the rest. */
  | { readonly kind: 'accepted'; readonly rewards: readonly RewardPart[] }
  /** Approved before: the outcome of that decision is the answer. */
  | { readonly kind: 'repeated'; readonly requestId: RequestId }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Decides one order. Where it is accepted, takes what it claims of rewards and sets the rest aside in `rows`. `maxAmount`: what
 * apps and users may move at once.
 */
export function decideOrder(order: Order, rows: LockedRows, maxAmount: Quarters): Verdict {
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
  // What is paid there now would go to the treasury with the rest.
  if (rows.closed.has(order.to)) {
    return refundOf
      ? refused('account-closed', "The user's account is closed; it can not be paid any more.")
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
  // Not even a reward is spent by an account below zero.
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
    const standing = rows.standing.get(standingKey(order.origin));
    if (standing && order.origin.by === 'standing')
      standing.spentToday = asQuarters(standing.spentToday + order.amount);
  }
  return { kind: 'accepted', rewards: parts };
}

/** A server API key that an order came with. `cap`: which of its caps applies; null: none. */
export type UsedKey = { readonly hash: Uint8Array; readonly cap: 'pay' | 'approve' | null };

export function usedKey(origin: Order['origin']): UsedKey | null {
  if (origin.kind === 'payout') return { hash: origin.keyHash, cap: origin.isCapped ? 'pay' : null };
  // Every key that may approve has a cap.
  return origin.kind === 'approval' && origin.keyHash ? { hash: origin.keyHash, cap: 'approve' } : null;
}

/** The payment an order gives back of. */
export function refundedBy(origin: Order['origin']): RequestId | null {
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

function mayBeApproved(approval: Approval, amount: Quarters, rows: LockedRows): Verdict | null {
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
    return refused('token-expired', 'You have signed out meanwhile. Open the payment again.');
  }
  // Becoming a full user ends all that the guest's tokens allow.
  if (approval.guest && !rows.guests.has(approval.userId)) {
    return refused('not-found', 'There is no such request for you.');
  }
  if (approval.by !== 'standing') return null;
  const standing = rows.standing.get(standingKey(approval));
  if (!standing) {
    return refused('auto-approve-not-granted', 'The user has not allowed this app to go on without asking.');
  }
  if (amount > standing.maxPerTransfer) {
    return refused(
      'auto-approve-limit',
      `The standing approval allows ${standing.maxPerTransfer} quarters at a time; ${amount} are needed.`,
    );
  }
  if (standing.spentToday + amount > standing.maxPerDay) {
    const left = standing.maxPerDay - standing.spentToday;
    return refused('auto-approve-limit', `The standing approval allows ${left > 0n ? left : 0n} more quarters today.`);
  }
  return null;
}

/** Of what a reorganisation has taken back nothing is refunded until it is paid again. */
function mayBeRefunded(id: RequestId, amount: Quarters, rows: LockedRows): Verdict | null {
  const payment = rows.requests.get(id);
  if (!payment) return refused('not-found', 'There is no such request.');
  if (payment.status !== 'completed') return { kind: 'refused', problem: notRefundable(payment.status) };
  const left = payment.amount - (rows.refunded.get(id) ?? 0n);
  return amount <= left ? null : { kind: 'refused', problem: refundTooLarge(left) };
}

export function notRefundable(status: RequestStatus): Problem {
  return new Problem('not-refundable', `The request is ${status}; what can be refunded is a completed payment.`);
}

/** `left`: quarters of the payment that were not given back yet. */
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

function refused(code: ConstructorParameters<typeof Problem>[0], detail: string): Verdict {
  return { kind: 'refused', problem: new Problem(code, detail) };
}
