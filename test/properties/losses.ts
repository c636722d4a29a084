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
  /** What each request was for, and whom it asked: by its id, as its caller knew it. */
  readonly requests: Map<string, { readonly userId: string; readonly appId: string; readonly amount: number }>;
  /** What the operator was told is granted, once for each key: the amount by user and key. */
  readonly granted: Map<string, { readonly userId: string; readonly amount: number }>;
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
    requests: new Map<string, { userId: string; appId: string; amount: number }>(),
    granted: new Map<string, { userId: string; amount: number }>(),
    unpaid: new Set<string>(),
    clear() {
      for (const memory of Object.values(losses)) if (typeof memory !== 'function') memory.clear();
    },
  };
  return losses;
}

export const nonceKey = (transfer: { readonly from_address: string; readonly authorization_nonce: string }) =>
  `${transfer.from_address}/${transfer.authorization_nonce}`;
