import type { Address } from '../../base/address.ts';
import { type AppId, type RequestId, transferIdOf, type UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { isSameAccount, lookUpAccount, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { type Accepted, guestMerged, type Instruction, type RefundingMember } from '../../service/instruction.ts';
import { refundIdFor, requestIdFor } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';
import { earlierAnswer } from '../../settlement/accept/idempotent-answers.ts';
import { recoveredPayout } from '../../settlement/accept/recovered-answer.ts';
import { ownedBy } from '../../views/accounts/read-account.ts';
import { isGuestOf } from '../restore/revive-guest.ts';
import { reviveNamed } from '../restore/revive-named.ts';

export type Payment = Payee & {
  /** The app's own account. */
  readonly from: Address;
  /** Quarters, a whole number from 1. */
  readonly amount: number;
  readonly idempotency?: IdempotencyKey | undefined;
};

/**
 * An app pays a user of this service from its own account. This is not a withdrawal: an address that is no user's account here is
 * `not-found`.
 */
export async function payUser(service: Service, caller: AppCaller, payment: Payment): Promise<Accepted> {
  const { user, address, idempotency } = payment;
  const isNamed = user !== undefined || address !== undefined;
  // At once, so that all calls of a moment share these statements.
  const [earlier, account, [recipient]] = await Promise.all([
    idempotency && earlierAnswer(service.db, idempotency),
    lookUpAccount(service.db, payment.from),
    findRecipientsOf(service, caller.appId, isNamed ? [{ user, address }] : []),
  ]);
  if (earlier) return earlier;
  const payer = ownedBy(caller, account);
  if (!recipient) throw invalidInput('', 'must name a user or an address');
  const amount = asQuarters(payment.amount);
  if (recipient instanceof Problem) {
    const paidBefore = idempotency && (await recoveredPayout(service, idempotency, { amount, to: address ?? null }));
    if (paidBefore) return paidBefore;
    throw recipient;
  }
  return service.accept(
    payoutInstruction(service, caller, { from: payer.address, to: recipient, amount, idempotency }),
  );
}

/** On whose word an app pays: its server's, or that of somebody of its team, who may refund only. */
export type Payer = Pick<AppCaller, 'appId' | 'payPerDay'> & {
  readonly keyHash: Uint8Array | null;
  readonly member?: RefundingMember;
};

type PayoutTerms = {
  /** The app's own account. */
  readonly from: Address;
  readonly to: Recipient;
  readonly amount: Quarters;
  readonly description?: string;
  /** The payment that this refunds. */
  readonly refundOf?: RequestId;
  readonly idempotency?: IdempotencyKey | undefined;
};

/** The instruction by which an app pays a user, with its own request. */
export function payoutInstruction(
  service: Pick<Service, 'settings' | 'vault'>,
  payer: Payer,
  payout: PayoutTerms,
): Instruction {
  const { from, amount, description = '', refundOf, idempotency } = payout;
  const { address: to, userId, toKey } = payout.to;
  const { appId, keyHash, payPerDay, member } = payer;
  const asked = { keyHash, isCapped: payPerDay !== null };
  const ttlSeconds = service.settings.requestTtlSeconds;
  const id = refundOf ? refundIdFor(service, refundOf, idempotency) : requestIdFor(service, idempotency);
  const request = { id, appId, userId, from, to, amount, description, ttlSeconds };
  return {
    transferId: transferIdOf(id),
    from,
    to,
    ...(toKey !== undefined && { toKey }),
    amount,
    idempotency,
    origin: refundOf
      ? { kind: 'refund', ...asked, ...(member && { member }), request: { ...request, source: 'refund', refundOf } }
      : { kind: 'payout', ...asked, request: { ...request, source: 'payout' } },
  };
}

/** As {@link findRecipients}. Guests of the app whom a restored database does not have exist again. */
export async function findRecipientsOf(
  service: Service,
  appId: AppId,
  named: readonly Payee[],
): Promise<(Recipient | Problem)[]> {
  const found = await findRecipients(service, named);
  const lost = named.flatMap(({ user }, i) =>
    user && isMissing(found[i]) && isGuestOf(service, user, appId) ? [user] : [],
  );
  if (lost.length === 0) return found;
  for (const user of lost) await reviveNamed(service, user, appId);
  return findRecipients(service, named);
}

const isMissing = (found: Recipient | Problem | undefined) => found instanceof Problem && found.code === 'not-found';

/** Who is to be paid: at least one of the two fields; both must name the same account. */
export type Payee = { readonly user?: UserId | undefined; readonly address?: Address | undefined };

export type Recipient = Pick<Instruction, 'toKey'> & { readonly userId: UserId; readonly address: Address };

/**
 * The named users, in order, looked up at once. A user who cannot be paid is replaced by the reason: `not-found` (also
 * for an address that is no user's account here, or a closed account), `account-closed` (a guest who was merged) or `recipient-mismatch`.
 */
export async function findRecipients(
  { db }: Pick<Service, 'db'>,
  named: readonly Payee[],
): Promise<(Recipient | Problem)[]> {
  const accounts = await Promise.all(
    named.map(({ user, address }) =>
      user === undefined ? lookUpAccount(db, address!) : lookUpAccountOfUser(db, user),
    ),
  );
  const isOther = await Promise.all(
    named.map(async ({ user, address }, i) => {
      const account = accounts[i];
      return user && address && account ? !(await isSameAccount(db, account.address, address)) : false;
    }),
  );
  return named.map((_, i) => {
    const account = accounts[i];
    if (account?.mergedInto) return guestMerged();
    if (!account?.userId || account.closedAt) return new Problem('not-found', 'There is no such user.');
    if (isOther[i]) {
      return new Problem('recipient-mismatch', 'user and address name different accounts.');
    }
    return { userId: account.userId, address: account.address, toKey: account.keyId };
  });
}
