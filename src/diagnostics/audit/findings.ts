import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { RequestStatus } from '../../requests/states.ts';

const ORDER = [
  ...(['supply', 'balance', 'postings', 'hold', 'reward'] as const),
  ...(['unpaid', 'undecided', 'settled', 'open', 'request'] as const),
];

/**
 * What was compared, in quarters:
 *
 * | kind | `ledger` | `other` |
 * |---|---|---|
 * | balance | the account's posted balance | the token's balance of it |
 * | postings | the account's posted balance | the sum of its postings |
 * | hold | the account's hold | the sum of its transfers on their way; for the treasury, also of unclaimed rewards |
 * | reward | the claimed part of a reward, or what the treasury paid of rewards | the sum of the claims |
 * | supply | the sum of all balances | the token's total supply |
 * | unpaid | completed transfers | fewer logs that paid them |
 * | undecided | completed transfers, often none | more logs from an account of ours: somebody else has its key |
 * | settled | a transfer on its way | 0, since its authorization is used or cancelled |
 * | open | a transfer that is not settled, or 0 | a transfer listed as open, or 0; 0 and 0 for a listed one that does not exist |
 * | request | a request | its transfers, which pay another amount or are in another state |
 */
export type Difference = {
  readonly kind: (typeof ORDER)[number];
  /** The account concerned; null for the supply. */
  readonly account: Address | null;
  readonly ledger: bigint;
  readonly other: bigint;
  readonly txHash?: Hash;
  readonly transfers?: readonly TransferId[];
  readonly request?: RequestId;
  /** The request's. */
  readonly status?: RequestStatus;
};

/**
 * An account whose balance is less than its hold. That is normal right after a reorganisation reverted a spent deposit,
 * but should be checked.
 */
export type Overdrawn = { readonly account: Address; readonly posted: bigint; readonly held: bigint };

/** Counts all that is found, and keeps what is to be named. */
export type AuditFindings = {
  /** How many of a kind are named; null: all. */
  readonly most: number | null;
  addDifference(difference: Difference): void;
  /** Counts differences that are found but not named. */
  addUnnamed(count: number): void;
  addOverdrawn(account: Overdrawn): void;
  /** By kind, and within a kind as they were found. */
  differences(): readonly Difference[];
  overdrawn(): readonly Overdrawn[];
  counts(): FoundCounts;
};

export type FoundCounts = { readonly differences: number; readonly overdrawn: number };

const RANKS = new Map<string, number>(ORDER.map((kind, rank) => [kind, rank]));

/** `most`: how many differences of a kind, and overdrawn accounts, are kept (null: all). More are only counted. */
export function openFindings(most: number | null): AuditFindings {
  const byRank: Difference[][] = ORDER.map(() => []);
  const overdrawn: Overdrawn[] = [];
  const counts = { differences: 0, overdrawn: 0 };
  const hasRoom = (list: readonly unknown[]) => most === null || list.length < most;
  return {
    most,
    addDifference(difference) {
      counts.differences++;
      const list = byRank[RANKS.get(difference.kind)!]!;
      if (hasRoom(list)) list.push(difference);
    },
    addUnnamed(count) {
      counts.differences += count;
    },
    addOverdrawn(account) {
      counts.overdrawn++;
      if (hasRoom(overdrawn)) overdrawn.push(account);
    },
    differences: () => byRank.flat(),
    overdrawn: () => overdrawn,
    counts: () => ({ ...counts }),
  };
}
