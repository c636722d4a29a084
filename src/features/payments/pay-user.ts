import type { Address } from '../../base/address.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { earlierAnswer } from '../../settlement/accept/idempotent-answers.ts';
import type { Decided } from '../../settlement/accept/instruction.ts';
import type { Service } from '../../settlement/service.ts';
import { ownAccount } from '../accounts/own-account.ts';
import { payoutOrder } from './payout.ts';
import { findRecipients, type Named } from './recipients.ts';

export type Payment = Named & {
  /** The app's own account. */
  readonly from: Address;
  /** Quarters, a whole number from 1. */
  readonly amount: number;
  readonly idempotency?: IdempotencyKey | undefined;
};

/**
 * An app pays a user of this service from its own account. This is not a withdrawal: an address that is no user's
 * account here is `not-found`.
 *
 * Throws `not-found`, `invalid-input`, `recipient-mismatch`, `amount-too-large`, `key-limit`, `insufficient-quarters`,
 * `quarters-unconfirmed`, `idempotency-mismatch`.
 */
export async function payUser(service: Service, caller: AppCaller, payment: Payment): Promise<Decided> {
  const { user, address, idempotency } = payment;
  const earlier = await earlierAnswer(service.db, idempotency);
  if (earlier) return earlier;
  const payer = await ownAccount(service, caller, payment.from);
  if (user === undefined && address === undefined) throw invalidInput('', 'must name a user or an address');
  const recipient = (await findRecipients(service, [{ user, address }]))[0]!;
  if (recipient instanceof Problem) throw recipient;
  const amount = asQuarters(payment.amount);
  return service.decide(payoutOrder(service, caller, { from: payer.address, to: recipient, amount, idempotency }));
}
