import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { AppId, RequestId, TransferId, UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { SignedAuthorization } from '../chain/token.ts';
import type { Settings } from '../config/settings.ts';
import type { IdempotencyKey } from '../idempotency/keys.ts';
import type { MandateChoice } from '../identity/mandates.ts';
import type { SealedMail } from '../mail/mail.ts';
import type { AttributedChange } from '../operator-log/record.ts';
import type { NewRequest } from '../requests/requests.ts';
import type { Actor, RequestStatus } from '../requests/states.ts';

/** One transfer that somebody wants paid. Its ids are made beforehand, so that accepting it twice has one effect. */
export type Instruction = {
  readonly transferId: TransferId;
  readonly from: Address;
  readonly to: Address;
  /** What the recipient's key is derived from, if the caller has read it. Left out: it is looked up. */
  readonly toKey?: Uint8Array | null;
  readonly amount: Quarters;
  readonly origin: Origin;
  /** The caller's Idempotency-Key, if there is one: the same key gives the same answer, in all processes. */
  readonly idempotency?: IdempotencyKey | undefined;
  /**
   * The key of the whole call that this instruction is part of. From the first accepted part on it belongs to that
   * call's body.
   */
  readonly callKey?: IdempotencyKey | undefined;
  /** The payer's authorization for all of it, if it was signed already. */
  readonly authorization?: SignedAuthorization | null;
};

/** What it is paid for. `settlement/accept/kinds` says of each kind what is particular to it. */
export type Origin = Approval | Payout | RefundToUser | Issue | Withdrawal | Closing;

/** A user's pending request is approved: by the user on our page, or by the app under the user's mandate. */
export type Approval = {
  readonly kind: 'approval';
  readonly requestId: RequestId;
  readonly userId: UserId;
  readonly appId: AppId;
  readonly actor: Actor;
  /** `mandate`: its limits apply. */
  readonly by: 'page' | 'mandate';
  /** SHA-256 of the server API key that approves under the mandate: its daily cap applies as well. */
  readonly keyHash?: Uint8Array;
  /** The session (its uid) in which a full user approves. If it has ended in the meantime, nothing is approved. */
  readonly session?: string | undefined;
  /** A guest approves. If they have become a full user in the meantime, nothing is approved. */
  readonly guest?: boolean;
  /**
   * What the user chose beside the button. `writeNotice`: makes the mail that is sent if the app need not ask from now on, and had to
   * before. It is called inside the transaction, so it must wait for nothing.
   */
  readonly choice?: MandateChoice & { readonly writeNotice?: () => Promise<SealedMail | null> };
};

/**
 * An app pays a user.
 *
 * `keyHash`: SHA-256 of the server API key that asked; null if a person did. `isCapped`: that key has a daily limit for payouts.
 */
type Payout = {
  readonly kind: 'payout';
  readonly request: NewRequest;
  readonly keyHash: Uint8Array | null;
  readonly isCapped: boolean;
};

/** An app pays back what a user paid. */
type RefundToUser = Omit<Payout, 'kind' | 'request'> & {
  readonly kind: 'refund';
  readonly request: NewRequest & { readonly refundOf: RequestId };
  /** Who of the app's team refunds. Left out if the app's server pays. */
  readonly member?: RefundingMember;
};

/** If their role in the app does not allow refunds any more, or their session (its uid) has ended, nothing is paid. */
export type RefundingMember = {
  readonly userId: UserId;
  readonly session: string;
  /** What the operator's log records of it. */
  readonly change: AttributedChange;
};

/** The operator issues quarters from the treasury. `change`: what the operator's log records of it. */
type Issue = { readonly kind: 'issue'; readonly change: AttributedChange };

/**
 * A player sends quarters to an address of their own, outside of this service. The address must be theirs and ready, the limits of a day
 * must allow it, and only final quarters go.
 */
export type Withdrawal = {
  readonly kind: 'withdrawal';
  readonly userId: UserId;
  /** The session (its uid) in which they confirmed it. If it has ended in the meantime, nothing is paid. */
  readonly session: string;
  /** What came in above this block is not final. Blocks that have become final since are left out too. */
  readonly finalBlock: bigint;
  /** Makes the mail that tells them. It is called inside the transaction, so it must wait for nothing. */
  readonly writeNotice?: () => Promise<SealedMail | null>;
};

/** The balance of a closed account goes back to the treasury, or from a merged guest to the player's account. */
type Closing = { readonly kind: 'closing' };

export type Accepted = {
  readonly transferId: TransferId;
  readonly requestId: RequestId | null;
  /** The hash of the signed transaction. The one on the chain may be a replacement. */
  readonly txHash: Hash;
  /** The answer comes from an earlier call with the same Idempotency-Key. */
  readonly replayed?: true;
};

/**
 * A checked amount of quarters (the API's schema ensures 1 … 2^53−1) within the operator's own limit. Throws
 * `amount-too-large`.
 */
export function allowedAmount(
  { settings }: { readonly settings: Pick<Settings, 'maxAmount'> },
  amount: number,
): Quarters {
  const quarters = asQuarters(amount);
  if (quarters > settings.maxAmount) throw amountTooLarge(settings.maxAmount);
  return quarters;
}

// Refusals of instructions that features also use, when they check before they make one.

export function amountTooLarge(most: Quarters): Problem {
  return new Problem('amount-too-large', `At most ${most} quarters can be moved at once.`);
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

/** Nothing is paid to a guest whose player has another account: the app knows the player by that one now. */
export function guestMerged(): Problem {
  return new Problem(
    'account-closed',
    "The guest was merged into the player's account and is closed. Pay the user that the event guest.merged names in mergedInto.",
  );
}

/** `orphaned`: quarters that a reorganisation took from the payer. */
export function quartersUnconfirmed(orphaned: Quarters): Problem {
  return new Problem(
    'quarters-unconfirmed',
    `${orphaned} quarters that the account had received are being confirmed again by the chain. Try again in a moment.`,
  );
}
