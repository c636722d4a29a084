import type { AppId, UserId } from '../base/ids.ts';
import { Problem, type ProblemCode } from '../base/problems.ts';
import type { Tx } from '../db/database.ts';
import { extensionPoint, type Load } from './house.ts';
import type { Service } from './service.ts';

// The moments of a payment's way at which wings do something of their own. Those with a transaction are part of it.

/**
 * What was refused. `request`: an app asked a player. `approval`: the player on our page. `auto-approval`: the app under the player's
 * spending limit. `payout`, `refund`: an app paid a player.
 */
export type RefusedKind = 'request' | 'approval' | 'auto-approval' | 'payout' | 'refund';

/** A payment that somebody wanted. */
export type WantedPayment = {
  readonly kind: RefusedKind;
  readonly appId: AppId;
  /** Who would have paid or got it; null if that is not proved. */
  readonly userId: UserId | null;
};

type TakeRefusal = (service: Pick<Service, 'db'>, payment: WantedPayment, code: ProblemCode) => void;

/** Called between the answers of payments, so it must not wait. */
export const PAYMENT_REFUSED = extensionPoint<TakeRefusal>('a payment of an app or a player was refused');

export function tellRefusal(service: Pick<Service, 'db' | 'house'>, payment: WantedPayment, code: ProblemCode): void {
  for (const take of service.house.of(PAYMENT_REFUSED)) take(service, payment, code);
}

/** Resolves as the work does. If it is refused, tells it. */
export async function tellingRefusals<T>(
  service: Pick<Service, 'db' | 'house'>,
  payment: WantedPayment,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem) tellRefusal(service, payment, error.code);
    throw error;
  }
}

/** What a wing has published, such as `proofs of liabilities`, and took back. */
export type Withdrawn = { readonly what: string; readonly blocks: readonly bigint[] };

export type TakeBack = (tx: Tx, above: bigint) => Promise<Withdrawn>;

/** In the transaction that removes the postings above a block: the chain was reorganised, or the ledger is repaired. */
export const TAKEN_BACK = extensionPoint<Load<TakeBack>>('postings were taken back', { evenLeftOut: true });

/** Lets the takers of {@link TAKEN_BACK} withdraw what they have said of later blocks. Returns what they withdrew. */
export async function withdrawAbove(takers: readonly TakeBack[], tx: Tx, above: bigint): Promise<Withdrawn[]> {
  const withdrawn: Withdrawn[] = [];
  for (const take of takers) withdrawn.push(await take(tx, above));
  return withdrawn.filter(({ blocks }) => blocks.length > 0);
}

/**
 * In the transaction that changes what the ledger says of the past, or whose its accounts are. Comes before any row is locked, and after the
 * locks of processes or of following.
 */
export const HISTORY_CHANGED = extensionPoint<Load<(tx: Tx) => Promise<void>>>(
  'what was counted from the ledger has to be counted again',
  { evenLeftOut: true },
);

export type EraseUser = (tx: Tx, user: UserId) => Promise<void>;

/** In the transaction that closes an account for good. */
export const ACCOUNT_CLOSED = extensionPoint<Load<EraseUser>>('nothing personal of the user may stay', {
  evenLeftOut: true,
});
