import type { Hash } from '../../base/hex.ts';
import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { lookUpAccount, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { refundedOf } from '../../requests/refunded.ts';
import { lookUpRequest } from '../../requests/requests.ts';
import {
  type Accepted,
  guestMerged,
  type Instruction,
  notRefundable,
  refundTooLarge,
} from '../../service/instruction.ts';
import { tellRefusal } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { readAfterwards } from '../../service/unknown-outcome.ts';
import { earlierAnswer } from '../../settlement/accept/idempotent-answers.ts';
import { recoveredRefund } from '../../settlement/accept/recovered-answer.ts';
import { refuseWhileSuspended } from '../../settlement/may-act.ts';
import { notHere } from '../../views/requests/not-here.ts';
import { type Payer, payoutInstruction } from './pay-user.ts';

export type Refund = {
  readonly requestId: RequestId;
  /** Quarters, a whole number from 1. By default, all that is left of the payment. */
  readonly amount?: number | undefined;
  readonly idempotency?: IdempotencyKey | undefined;
};

/** The refund, which is a request of its own. */
export type Refunded = {
  readonly requestId: RequestId;
  readonly amount: Quarters;
  readonly txHash: Hash;
  readonly replayed?: true;
};

/**
 * An app refunds a user's payment, in full or in part, and never more in total than was paid. The refund goes from the app's account to the
 * user's as quarters, even for the part that a reward paid: rewards do not come back.
 */
export async function refundRequest(service: Service, payer: Payer, refund: Refund): Promise<Refunded> {
  const { idempotency } = refund;
  const earlier =
    idempotency &&
    ((await earlierAnswer(service.db, idempotency)) ??
      (await recoveredRefund(service, refund.requestId, idempotency, refund.amount)));
  if (earlier) return refundedBefore(service, earlier);
  // What is known of the payment may be out of date.
  refuseWhileSuspended(service);
  let instruction: Instruction;
  try {
    instruction = await refundInstruction(service, payer, refund);
  } catch (problem) {
    // The reason may be this very call, made twice at once. The other one's answer is stored by now.
    const meanwhile = problem instanceof Problem && idempotency && (await earlierAnswer(service.db, idempotency));
    if (meanwhile) return refundedBefore(service, meanwhile);
    if (problem instanceof Problem) {
      tellRefusal(service, { kind: 'refund', appId: payer.appId, userId: null }, problem.code);
    }
    throw problem;
  }
  const accepted = await service.accept(instruction);
  if (accepted.replayed) return refundedBefore(service, accepted);
  // The database is not asked again: an error now would look like a refund that did not happen.
  return { requestId: accepted.requestId!, amount: instruction.amount, txHash: accepted.txHash };
}

/**
 * If the call has no amount, only the refund itself shows how much was left then. Throws `outcome-unknown` if it cannot
 * be read now.
 */
async function refundedBefore({ db }: Service, { requestId, txHash }: Accepted): Promise<Refunded> {
  const request = await readAfterwards(lookUpRequest(db, requestId!));
  if (!request) throw new Error(`The refund ${requestId} is not stored`);
  return { requestId: request.id, amount: request.amount, txHash, replayed: true };
}

const NONE_OF_YOURS = 'There is no such request of yours.';

/** What is checked here without a lock is checked again under it, if it can change. */
async function refundInstruction(service: Service, payer: Payer, { requestId, amount, idempotency }: Refund) {
  const payment = await lookUpRequest(service.db, requestId);
  if (!payment) throw await notHere(service.db, requestId, NONE_OF_YOURS);
  if (payment.appId !== payer.appId) throw new Problem('not-found', NONE_OF_YOURS);
  if (payment.source !== 'user') {
    throw new Problem('not-refundable', 'This is a payment from the app to a user, which cannot be refunded.');
  }
  const { userId, description } = payment;
  // Both may have other addresses than when it was paid.
  const [account, ofApp] = await Promise.all([
    lookUpAccountOfUser(service.db, userId),
    lookUpAccount(service.db, payment.to),
  ]);
  if (account?.mergedInto) throw guestMerged();
  if (account?.closedAt) {
    throw new Problem('account-closed', "The user's account is closed, so it cannot be paid.");
  }
  const left = payment.amount - ((await refundedOf(service.db, [requestId])).get(requestId) ?? 0n);
  // Sent on with some amount, a refund of nothing could be refused for another reason or, after a cancellation in
  // between, be paid.
  if (amount === undefined && left <= 0n) {
    throw payment.status === 'completed' ? refundTooLarge(left) : notRefundable(payment.status);
  }
  const user = { userId, address: account?.address ?? payment.from };
  const parts = {
    from: ofApp?.address ?? payment.to,
    to: user,
    amount: asQuarters(amount ?? left),
    description,
    refundOf: requestId,
    idempotency,
  };
  return payoutInstruction(service, payer, parts);
}
