import type { Tables } from './tables.ts';

/** A transfer that was accepted, whatever became of its rows. */
export type AcceptedOnce = Pick<Tables['transfers'][number], 'from_address' | 'to_address' | 'amount'> & {
  readonly id: string;
  /** The request as its caller knew it; null if there was none. */
  readonly requestId: string | null;
  readonly refundOf: string | null;
};

/** What is remembered outside the database of what it has lost. */
export type Losses = {
  /** By payer and nonce. */
  readonly accepted: Map<string, AcceptedOnce>;
  /** Addresses that were ever ours. */
  readonly accounts: Set<string>;
  /** The nonces that payments with each Idempotency-Key have had, by payer and nonce. */
  readonly keyed: Map<string, Set<string>>;
  /** Relayers' nonces of which the database has no transaction, and those of others: `relayer/nonce`. */
  readonly places: Set<string>;
  /** Requests of users whose rows were made again. */
  readonly found: Set<string>;
  /**
   * Transfers that were lost while no block had paid them, by payer and nonce. Nobody sees that they are still to come: a stranger who has
   * seen one submits it, or a reorganisation brings back a transaction that had reverted, or pays before it cancels.
   */
  readonly unpaid: Set<string>;
  clear(): void;
};

export function createLosses(): Losses {
  const losses = {
    accepted: new Map<string, AcceptedOnce>(),
    accounts: new Set<string>(),
    keyed: new Map<string, Set<string>>(),
    places: new Set<string>(),
    found: new Set<string>(),
    unpaid: new Set<string>(),
    clear() {
      for (const memory of [losses.accepted, losses.accounts, losses.keyed, losses.places, losses.found, losses.unpaid])
        memory.clear();
    },
  };
  return losses;
}

export const nonceKey = (transfer: { readonly from_address: string; readonly authorization_nonce: string }) =>
  `${transfer.from_address}/${transfer.authorization_nonce}`;
