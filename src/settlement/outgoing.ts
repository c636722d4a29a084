import type { Address } from '../base/address.ts';
import type { StoredTransaction } from './tables/transactions.ts';

/** Kept in memory for one relayer. Beyond that they are read back from the database when it is their turn. */
const MOST_KEPT = 20_000;

/**
 * Transactions that were committed here a moment ago and wait to be sent, so that sending need not read them back. It is only a shortcut:
 * the database has all of them.
 */
export class Outgoing {
  readonly #waiting = new Map<Address, StoredTransaction[]>();

  /** Call it after COMMIT, in the order of the nonces. */
  add(relayer: Address, transactions: readonly Omit<StoredTransaction, 'attempt'>[]): void {
    let waiting = this.#waiting.get(relayer);
    if (!waiting) {
      waiting = [];
      this.#waiting.set(relayer, waiting);
    }
    if (waiting.length + transactions.length > MOST_KEPT) return;
    for (const { hash, nonce, raw } of transactions) waiting.push({ hash, relayer, nonce, attempt: 0, raw });
  }

  /** Takes consecutive transactions from nonce `from` to below `below`, at most `most`. Forgets those before. */
  take(relayer: Address, from: bigint, below: bigint, most: number): StoredTransaction[] {
    const waiting = this.#waiting.get(relayer) ?? [];
    let start = 0;
    while (start < waiting.length && waiting[start]!.nonce < from) start++;
    let end = start;
    while (end < waiting.length && end - start < most) {
      const { nonce } = waiting[end]!;
      if (nonce !== from + BigInt(end - start) || nonce >= below) break;
      end++;
    }
    return waiting.splice(0, end).slice(start);
  }
}
