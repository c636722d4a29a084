import type { Address } from '../base/address.ts';
import { type Hash, hexToBytes } from '../base/hex.ts';
import type { Quarters } from '../base/quarters.ts';
import { addressNow, hashColumn } from '../db/columns.ts';
import { hexText, jsonRows, type Queries, type Tx } from '../db/database.ts';

/** A `Transfer` log of the token: both entries of a double-entry posting. */
export type Posting = {
  readonly blockHash: Hash;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly txHash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
};

type Entry = [Address, { posted: bigint; held: bigint }];

/** What a block changes in the accounts: signed changes of `posted` and `held`. */
export class BalanceChanges {
  readonly #changes = new Map<Address, { posted: bigint; held: bigint }>();

  add(address: Address, change: { posted?: bigint; held?: bigint }): void {
    const sum = this.#changes.get(address) ?? { posted: 0n, held: 0n };
    sum.posted += change.posted ?? 0n;
    sum.held += change.held ?? 0n;
    this.#changes.set(address, sum);
  }

  /** Adds a posting, or its reversal if `sign` is −1. */
  addPosting(posting: { from: Address; to: Address; amount: bigint }, sign: 1n | -1n): void {
    this.add(posting.from, { posted: -posting.amount * sign });
    this.add(posting.to, { posted: posting.amount * sign });
  }

  /** By address, the order in which accounts are locked. */
  entries(): Entry[] {
    return [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Stores postings of one block and returns the new ones. A log that is read again is not stored again. */
export async function insertPostings({ query }: Tx, postings: readonly Posting[]): Promise<Posting[]> {
  if (postings.length === 0) return [];
  const stored = await query<Pick<Posting, 'logIndex'>>(
    `INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount, outside_block)
     SELECT log.*, CASE WHEN amount > 0 AND NOT EXISTS (
              SELECT FROM accounts WHERE address IN ("from", "to")
                 AND (kind = 'app' OR kind = 'swept' AND merged_into IN ("from", "to"))) THEN "blockNumber" END
       FROM jsonb_to_recordset($1)
         AS log ("blockNumber" bigint, "logIndex" int, "blockHash" bytea, "txHash" bytea, "from" text, "to" text, amount bigint)
     ON CONFLICT DO NOTHING
     RETURNING log_index AS "logIndex"`,
    [
      jsonRows(
        postings.map((posting) => ({
          ...posting,
          blockHash: hexText(posting.blockHash),
          txHash: hexText(posting.txHash),
        })),
      ),
    ],
  );
  // Each new one once, however often the same log is given.
  const isNew = new Set(stored.map(({ logIndex }) => logIndex));
  return postings.filter(({ logIndex }) => isNew.delete(logIndex));
}

/** Removes the postings of orphaned blocks, those above `block`. Returns them, so that their effect can be undone. */
export async function removePostingsAbove(
  { query }: Tx,
  block: bigint,
): Promise<{ from: Address; to: Address; amount: Quarters }[]> {
  return query(
    'DELETE FROM postings WHERE block_number > $1 RETURNING from_address AS "from", to_address AS "to", amount',
    [block],
  );
}

export async function readPostingsOf({ query }: Queries, block: bigint): Promise<Posting[]> {
  return query(
    `SELECT block_number AS "blockNumber", log_index AS "logIndex", ${hashColumn('block_hash')} AS "blockHash",
            ${hashColumn('tx_hash')} AS "txHash", from_address AS "from", to_address AS "to", amount
       FROM postings WHERE block_number = $1 ORDER BY log_index`,
    [block],
  );
}

/** When the first of each block's postings were made, where it has any. */
export async function readPostedTimes({ query }: Queries, blocks: readonly bigint[]): Promise<Map<bigint, Date>> {
  const rows = await query<{ block: bigint; at: Date | null }>(
    `SELECT block, (SELECT posted_at FROM postings WHERE block_number = block ORDER BY log_index LIMIT 1) AS at
       FROM unnest($1::bigint[]) AS block`,
    [blocks],
  );
  return new Map(rows.flatMap(({ block, at }) => (at ? [[block, at] as const] : [])));
}

/** Removes these postings of a block. Their effect on the accounts stays. */
export async function removePostings({ query }: Tx, block: bigint, logIndexes: readonly number[]): Promise<void> {
  if (logIndexes.length === 0) return;
  await query('DELETE FROM postings WHERE block_number = $1 AND log_index = ANY($2::int[])', [block, logIndexes]);
}

/**
 * Applies changes to the accounts in address order: `posted` and `held` in one UPDATE. Call it last in its transaction, so that hot
 * rows stay locked for a few milliseconds only. Closed accounts that change are emptied again.
 */
export async function applyChanges(tx: Tx, changes: BalanceChanges): Promise<void> {
  const entries = changes.entries();
  if (entries.length === 0) return;
  const missing = await change(entries);
  if (missing.length === 0) return;
  // New addresses become external accounts.
  await tx.query(
    `INSERT INTO accounts (address, kind) SELECT address, 'external' FROM unnest($1::text[]) AS address
     ON CONFLICT (address) DO NOTHING`,
    [missing.map(([address]) => address)],
  );
  await change(missing);

  /** Returns the entries without an account. */
  async function change(some: readonly Entry[]): Promise<Entry[]> {
    // An UPDATE takes its rows in any order. An account that another transaction opens meanwhile is not found, and opened by it.
    const changed = await tx.query<{ address: Address }>(
      `WITH locked AS MATERIALIZED (
         SELECT address, change.posted, change.held
           FROM accounts JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS change (address, posted, held) USING (address)
          ORDER BY address FOR NO KEY UPDATE OF accounts)
       UPDATE accounts SET posted = accounts.posted + locked.posted, held = accounts.held + locked.held,
              unswept = unswept OR closed_at IS NOT NULL, unmoved = unmoved OR merged_at IS NOT NULL
         FROM locked WHERE accounts.address = locked.address RETURNING accounts.address`,
      [some.map(([address]) => address), some.map(([, { posted }]) => posted), some.map(([, { held }]) => held)],
    );
    const found = new Set(changed.map(({ address }) => address));
    return some.filter(([address]) => !found.has(address));
  }
}

/** A `Transfer` log to or from an account without an app on the other side. */
export type OutsidePosting = {
  /** `out`: what a closed account returns, or what another holder of its key moved. */
  readonly direction: 'in' | 'out';
  /** `treasury`: the operator. `guest`: an account that was merged into this one. `outside`: any other address. */
  readonly otherSide: 'treasury' | 'guest' | 'outside';
  readonly otherAddress: Address;
  readonly amount: Quarters;
  readonly txHash: Hash;
  /** When we saw it; null if that was before this time was stored. */
  readonly at: Date | null;
  readonly position: PostingPosition;
};

/** A posting's place on the chain. The next page of a list begins there. */
export type PostingPosition = { readonly block: bigint; readonly logIndex: number };

type OutsideRow = Omit<OutsidePosting, 'position'> & PostingPosition & { matches: boolean; isEnd: boolean };

/** `reached`: the last posting that was read; null if the page is full before it, or nothing is left. */
export type FoundPostings = {
  readonly postings: OutsidePosting[];
  readonly reached: Pick<OutsidePosting, 'position' | 'at'> | null;
};

/** What postings must be. Null: anything. */
export type PostingFilter = {
  readonly direction?: OutsidePosting['direction'] | null;
  readonly amount?: Quarters | null;
  readonly txHash?: Hash | null;
};

const MAX_INT8 = 2n ** 63n - 1n;

/**
 * Postings of these addresses, which are one account's, before `before`, newest first. Payments to and from apps are left out, since their
 * requests tell more. So are moves from one of them to another, and logs of 0 quarters, since the token lets anybody write them about anybody.
 *
 * A search for an amount or a transaction reads at most `most` in each direction.
 */
export async function listOutsidePostings(
  { query }: Queries,
  addresses: readonly Address[],
  before: PostingPosition | null,
  limit: number,
  { direction = null, amount = null, txHash = null }: PostingFilter,
  most: number,
): Promise<FoundPostings> {
  const size = amount === null && txHash === null ? limit : most;
  // Each direction has an index of such postings only, which is read from its end no further than needed. The second part leaves out
  // payments to oneself, as the first has them.
  const rows = await query<OutsideRow>(
    `SELECT direction, other AS "otherAddress", amount,
            CASE WHEN now.kind = 'treasury' THEN 'treasury' WHEN now.merged_into = ANY($1) THEN 'guest' ELSE 'outside' END AS "otherSide",
            '0x' || encode(tx_hash, 'hex') AS "txHash", posted_at AS at, outside_block AS block, log_index AS "logIndex",
            matches, is_end AS "isEnd"
       FROM (
     SELECT *, ($7::bigint IS NULL OR amount = $7) AND ($8::bytea IS NULL OR tx_hash = $8) AS matches,
            row_number() OVER (ORDER BY outside_block DESC, log_index DESC) = $4 AS is_end
       FROM (SELECT step.* FROM unnest($1::text[]) AS own (address) CROSS JOIN LATERAL (
       (SELECT 'in' AS direction, from_address AS other, amount, tx_hash, posted_at, outside_block, log_index
          FROM postings
         WHERE to_address = own.address AND outside_block IS NOT NULL AND (outside_block, log_index) < ($2, $3) AND $5
         ORDER BY outside_block DESC, log_index DESC LIMIT $4)
       UNION ALL
       (SELECT 'out', to_address, amount, tx_hash, posted_at, outside_block, log_index
          FROM postings
         WHERE from_address = own.address AND to_address <> own.address AND outside_block IS NOT NULL AND (outside_block, log_index) < ($2, $3)
           AND $6
         ORDER BY outside_block DESC, log_index DESC LIMIT $4)
       ORDER BY outside_block DESC, log_index DESC LIMIT $4) AS step
       ORDER BY outside_block DESC, log_index DESC LIMIT $4) AS steps
     ) AS found JOIN accounts AS named ON named.address = other JOIN accounts AS now ON now.address = ${addressNow('named')}
      WHERE matches OR is_end
      ORDER BY outside_block DESC, log_index DESC LIMIT $9`,
    [
      ...[addresses, before?.block ?? MAX_INT8, before?.logIndex ?? 0, size],
      ...[direction !== 'out', direction !== 'in', amount, txHash && hexToBytes(txHash), limit],
    ],
  );
  const postings = rows.flatMap(({ block, logIndex, matches, isEnd, ...posting }) =>
    matches ? [{ ...posting, position: { block, logIndex } }] : [],
  );
  const end = postings.length < limit ? rows.find(({ isEnd }) => isEnd) : undefined;
  return { postings, reached: end ? { position: { block: end.block, logIndex: end.logIndex }, at: end.at } : null };
}
