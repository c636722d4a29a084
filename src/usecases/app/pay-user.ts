import type { Address } from '../../base/address.ts';
import { newRequestId, newTransferId, type UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { type Account, findAccount, findAccountOfUser } from '../../ledger/accounts.ts';
import { ownAccount } from '../own-account.ts';
import type { Service } from '../service.ts';
import { earlierAnswer } from '../system/order-keys.ts';
import type { Decided } from '../system/orders.ts';

export type Payment = {
  /** The app's own account. */
  readonly from: Address;
  /** Quarters, a whole number from 1. */
  readonly amount: number;
  readonly user?: UserId;
  readonly address?: Address;
  readonly idempotency?: IdempotencyKey | undefined;
};

/**
 * An app pays a user of this service from its own account. Not a withdrawal: an address that is no user's account here is
 * `not-found`.
 *
 * Throws `not-found`, `invalid-input`, `recipient-mismatch`, `amount-too-large`, `key-limit`, `insufficient-quarters`,
 * `idempotency-mismatch`.
 */
export async function payUser(service: Service, caller: AppCaller, payment: Payment): Promise<Decided> {
  const earlier = await earlierAnswer(service.db, payment.idempotency);
  if (earlier) return earlier;
  const payer = await ownAccount(service, caller, payment.from);
  const recipient = await findRecipient(service, payment);
  return service.decide({
    transferId: newTransferId(),
    from: payer.address,
    to: recipient.address,
    amount: asQuarters(payment.amount),
    idempotency: payment.idempotency,
    origin: {
      kind: 'payout',
      // Without a cap there is no row to lock.
      ...(caller.payPerDay !== null && { cappedKey: caller.keyHash }),
      request: {
        id: newRequestId(),
        appId: caller.appId,
        userId: recipient.userId,
        source: 'payout',
        from: payer.address,
        to: recipient.address,
        amount: asQuarters(payment.amount),
        description: '',
        ttlSeconds: service.settings.requestTtlSeconds,
      },
    },
  });
}

async function findRecipient(
  { db }: Service,
  { user, address }: Payment,
): Promise<Account & { readonly userId: UserId }> {
  if (user === undefined && address === undefined) throw invalidInput('', 'One of user and address is required.');
  const account = user !== undefined ? await findAccountOfUser(db, user) : await findAccount(db, address!);
  if (!account?.userId || account.closedAt) throw new Problem('not-found', 'There is no such user.');
  if (address !== undefined && account.address !== address) {
    throw new Problem('recipient-mismatch', 'user and address name different accounts.');
  }
  return { ...account, userId: account.userId };
}
