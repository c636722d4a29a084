import type { Address } from '../base/address.ts';
import type { Queries, Tx } from '../db/database.ts';

/** A month whose rows have left, or are leaving, the live tables. Tables that inherit from these hold them, or a file. */
export type ArchivedMonth = {
  /** Such as `2026-03`. */
  readonly month: string;
  /** Rows of later blocks are not in it. */
  readonly lastBlock: bigint;
  /** When all that can leave had left; null before. */
  readonly movedAt: Date | null;
  /** Rows of each table; null before all have moved. */
  readonly requests: bigint | null;
  readonly transfers: bigint | null;
  readonly transactions: bigint | null;
  readonly postings: bigint | null;
  /** Set while it is written to a file. */
  readonly detachingAt: Date | null;
  /** Set once it is in a file only. */
  readonly detachedAt: Date | null;
  readonly file: string | null;
  readonly sha256: string | null;
};

const COLUMNS = `to_char(month, 'YYYY-MM') AS month, last_block AS "lastBlock", moved_at AS "movedAt", requests, transfers, transactions,
  postings, detaching_at AS "detachingAt", detached_at AS "detachedAt", file, encode(sha256, 'hex') AS sha256`;

export async function listArchivedMonths({ query }: Queries): Promise<ArchivedMonth[]> {
  return query<ArchivedMonth>(`SELECT ${COLUMNS} FROM archived_months ORDER BY archived_months.month`);
}

/** The months that are in files only: months are detached the oldest first, so nothing older is in the database. */
export type Detached = {
  /** The newest of them. */
  readonly month: string;
  readonly file: string;
  /** Of all of them: a month without postings may end with an earlier block than the one before it. */
  readonly lastBlock: bigint;
  /** Its end. */
  readonly until: Date;
};

/** Null if no month is detached. */
export async function readDetached({ query }: Queries): Promise<Detached | null> {
  const [row] = await query<Detached>(
    `SELECT to_char(month, 'YYYY-MM') AS month, file, max(last_block) OVER () AS "lastBlock",
            (archived_months.month + interval '1 month') AT TIME ZONE 'UTC' AS until
       FROM archived_months WHERE detached_at IS NOT NULL ORDER BY archived_months.month DESC LIMIT 1`,
  );
  return row ?? null;
}

/** Until the transaction ends, no row is moved. Whoever changes rows that may be archived needs it: what is moved meanwhile is at neither place. */
export async function holdMonths({ query }: Tx): Promise<void> {
  await query('LOCK TABLE archived_months IN EXCLUSIVE MODE');
}

/**
 * The months that have rows of blocks above this one, locked. They are to be moved again: whoever rewinds the ledger takes rows back from them. Throws if
 * such a month is, or becomes, a file: its rows can be taken back by nobody.
 */
export async function openMonthsAbove(tx: Tx, block: bigint): Promise<boolean> {
  await holdMonths(tx);
  const rows = await tx.query<{ month: string; isFile: boolean; lastBlock: bigint }>(
    `UPDATE archived_months SET moved_at = CASE WHEN detaching_at IS NULL AND detached_at IS NULL THEN NULL ELSE moved_at END
      WHERE last_block > $1
     RETURNING to_char(month, 'YYYY-MM') AS month, detaching_at IS NOT NULL OR detached_at IS NOT NULL AS "isFile", last_block AS "lastBlock"`,
    [block],
  );
  const file = rows.find(({ isFile }) => isFile);
  if (file) {
    throw new Error(
      `The chain has gone back to block ${block}, and ${file.month}, which ends with block ${file.lastBlock}, is detached to a file. Attach it first: npx quarters archive attach`,
    );
  }
  return rows.length > 0;
}

/** What the audit knows of postings that are in files only. */
export type DetachedPostings = {
  /** The last of their blocks; null if there are none. */
  readonly upTo: bigint | null;
  /** Their sum, and that of the postings that have stayed of these blocks, times the hashes of the addresses. */
  readonly sum: bigint;
};

export async function sumDetached({ query }: Tx, seed: bigint): Promise<DetachedPostings> {
  const [row] = await query<{ upTo: bigint | null; sum: string }>(
    `WITH detached AS (SELECT max(last_block) AS up_to FROM archived_months WHERE detached_at IS NOT NULL)
     SELECT up_to AS "upTo", (SELECT coalesce(sum(posted * hashtextextended(address, $1)::numeric), 0) FROM archived_balances) + (
              SELECT coalesce(sum(amount * (hashtextextended(to_address, $1)::numeric - hashtextextended(from_address, $1))), 0)
                FROM postings WHERE block_number <= up_to) AS sum
       FROM detached`,
    [seed],
  );
  return { upTo: row!.upTo, sum: BigInt(row!.sum) };
}

/** The sum of some postings for one account. */
export type PostedSum = { readonly address: Address; readonly posted: bigint };

/** Adds to what postings in files add up to, or takes it away with `sign` −1. */
export async function addArchivedBalances({ query }: Tx, sums: readonly PostedSum[], sign: 1n | -1n): Promise<void> {
  await query(
    `INSERT INTO archived_balances AS known (address, posted)
     SELECT address, posted * $3::bigint FROM unnest($1::text[], $2::bigint[]) AS given (address, posted)
     ON CONFLICT (address) DO UPDATE SET posted = known.posted + excluded.posted`,
    [sums.map(({ address }) => address), sums.map(({ posted }) => posted), sign],
  );
}
