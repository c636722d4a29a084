import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';

/** A stored transaction: one attempt at a relayer's nonce. */
export type StoredTransaction = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly attempt: number;
  readonly raw: Buffer;
};

/** Kept in memory for one relayer, in bytes. Beyond that they are read back from the database when it is their turn. */
const MOST_BYTES = 32_000_000;

/** With more waiting than that, new groups give way to the batch that is being sent, for a moment. */
const GIVES_WAY_BYTES = 250_000;
const GIVES_WAY_MS = 250;

/**
 * Transactions that were committed here a moment ago and wait to be sent, so that sending need not read them back. It is only a shortcut:
 * the database has all of them.
 */
export class Outgoing {
  readonly #waiting = new Map<Address, { transactions: StoredTransaction[]; bytes: number }>();
  #batch: Promise<unknown> | null = null;

  /** Call it after COMMIT, in the order of the nonces. */
  add(relayer: Address, transactions: readonly Omit<StoredTransaction, 'attempt'>[]): void {
    const bytes = sizeOf(transactions);
    let waiting = this.#waiting.get(relayer);
    const newest = waiting?.transactions.at(-1);
    // A database that lost its last commits gives the same nonces once more.
    const isBehind = newest !== undefined && transactions.some(({ nonce }) => nonce <= newest.nonce);
    if (!waiting || isBehind) {
      waiting = { transactions: [], bytes: 0 };
      this.#waiting.set(relayer, waiting);
    }
    if (waiting.bytes + bytes > MOST_BYTES) return;
    waiting.bytes += bytes;
    for (const { hash, nonce, raw } of transactions) {
      waiting.transactions.push({ hash, relayer, nonce, attempt: 0, raw });
    }
  }

  /** Takes consecutive transactions from nonce `from` to below `below`, at most `most`. Forgets those before. */
  take(relayer: Address, from: bigint, below: bigint, most: number): StoredTransaction[] {
    const waiting = this.#waiting.get(relayer);
    if (!waiting) return [];
    const { transactions } = waiting;
    let start = 0;
    while (start < transactions.length && transactions[start]!.nonce < from) start++;
    let end = start;
    while (end < transactions.length && end - start < most) {
      const { nonce } = transactions[end]!;
      if (nonce !== from + BigInt(end - start) || nonce >= below) break;
      end++;
    }
    const taken = transactions.splice(0, end);
    waiting.bytes -= sizeOf(taken);
    return taken.slice(start);
  }

  /** Sends a batch. */
  async sending<Reply>(batch: Promise<Reply>): Promise<Reply> {
    this.#batch = batch;
    try {
      return await batch;
    } finally {
      if (this.#batch === batch) this.#batch = null;
    }
  }

  /**
   * Waits for the batch that is being sent, if many wait behind it: accepting more than a busy node takes would only make each of them
   * late. If nothing is being sent (the node is away, or has no room), nothing waits.
   */
  async giveWay(): Promise<void> {
    const bytes = [...this.#waiting.values()].reduce((total, own) => total + own.bytes, 0);
    if (!this.#batch || bytes < GIVES_WAY_BYTES) return;
    await Promise.race([this.#batch.catch(() => {}), delay(GIVES_WAY_MS)]);
  }

  /** Forgets those of all other relayers. */
  keepOnly(relayers: readonly Address[]): void {
    for (const relayer of this.#waiting.keys()) if (!relayers.includes(relayer)) this.#waiting.delete(relayer);
  }
}

function sizeOf(transactions: readonly Pick<StoredTransaction, 'raw'>[]): number {
  return transactions.reduce((total, { raw }) => total + raw.length, 0);
}
