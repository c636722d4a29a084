import type { Hash } from '../base/hex.ts';
import { hashColumn } from '../db/columns.ts';
import { jsonRows, type Queries, type Tx } from '../db/database.ts';

/** A block whose logs are in the ledger. While `complete` is false, only the logs below `nextLogIndex` are. */
export type PostedBlock = {
  readonly number: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly nextLogIndex: number;
  readonly complete: boolean;
};

const COLUMNS = 'number, hash, parent_hash AS "parentHash", next_log_index AS "nextLogIndex", complete';

/** The newest block that the ledger mirrors; null before the first one. */
export async function readCursor({ query }: Queries): Promise<PostedBlock | null> {
  const [row] = await query<PostedBlock>(`SELECT ${COLUMNS} FROM blocks ORDER BY number DESC LIMIT 1`);
  return row ?? null;
}

/** Whether the ledger still mirrors this block, which was posted completely: no reorganisation has removed it. */
export async function isPosted(
  { query }: Queries,
  { number, hash }: Pick<PostedBlock, 'number' | 'hash'>,
): Promise<boolean> {
  const rows = await query('SELECT FROM blocks WHERE number = $1 AND hash = $2 AND complete', [number, hash]);
  return rows.length > 0;
}

/**
 * {@link isPosted}, and the block stays posted until the transaction ends. A rewind waits for that, so call it last.
 */
export async function lockPosted(
  { query }: Tx,
  { number, hash }: Pick<PostedBlock, 'number' | 'hash'>,
): Promise<boolean> {
  const rows = await query('SELECT FROM blocks WHERE number = $1 AND hash = $2 AND complete FOR KEY SHARE', [
    number,
    hash,
  ]);
  return rows.length > 0;
}

/** Posted blocks from `number` downwards, newest first. */
export async function readPostedBlocks({ query }: Queries, number: bigint, limit: number): Promise<PostedBlock[]> {
  return query<PostedBlock>(`SELECT ${COLUMNS} FROM blocks WHERE number <= $1 ORDER BY number DESC LIMIT $2`, [
    number,
    limit,
  ]);
}

/**
 * Locks following for all processes until the transaction ends, so that only one of them moves the ledger along the chain. False if
 * another process is doing so now.
 */
export async function lockFollowing({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.follow')) AS locked`,
  );
  return row?.locked ?? false;
}

/** Waits until nobody else moves the ledger, and locks following as {@link lockFollowing} does. Call it first in its transaction. */
export async function waitForFollowing({ query }: Tx): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(hashtext('quarters.follow'))`);
}

/** Moves the cursor. Call it in the transaction that stores the block's postings. */
export async function storeBlock({ query }: Tx, block: PostedBlock): Promise<void> {
  await query(
    `INSERT INTO blocks (number, hash, parent_hash, next_log_index, complete) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (number) DO UPDATE SET next_log_index = excluded.next_log_index, complete = excluded.complete
       WHERE blocks.hash = excluded.hash`,
    [block.number, block.hash, block.parentHash, block.nextLogIndex, block.complete],
  );
}

/** Moves the cursor over consecutive blocks without a log of the token. */
export async function storeEmptyBlocks(
  { query }: Tx,
  blocks: readonly Pick<PostedBlock, 'number' | 'hash' | 'parentHash'>[],
): Promise<void> {
  await query(
    `INSERT INTO blocks (number, hash, parent_hash, next_log_index, complete)
     SELECT number, hash, "parentHash", 0, true
       FROM jsonb_to_recordset($1) AS new (number bigint, hash text, "parentHash" text)`,
    [jsonRows(blocks.map(({ number, hash, parentHash }) => ({ number, hash, parentHash })))],
  );
}

export async function removeBlocksAbove({ query }: Tx, number: bigint): Promise<void> {
  await query('DELETE FROM blocks WHERE number > $1', [number]);
}

/**
 * Forgets blocks that no reorganisation can reach any more, at most `most`. Returns how many. Their postings stay. Skips blocks that
 * another process is removing.
 */
export async function pruneBlocksBelow({ query }: Queries, number: bigint, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM blocks WHERE number IN (
       SELECT number FROM blocks WHERE number < $1 ORDER BY number LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [number, most],
  );
  return rows.length;
}

const MAX_INT8 = 2n ** 63n - 1n;

/** The newest block, at or below `number` if given, that has a posting. The block itself may be forgotten already. */
export async function newestPosting(
  { query }: Queries,
  number: bigint = MAX_INT8,
): Promise<{ readonly number: bigint; readonly hash: Hash } | null> {
  const [row] = await query<{ number: bigint; hash: Hash }>(
    `SELECT block_number AS number, ${hashColumn('block_hash')} AS hash FROM postings
      WHERE block_number <= $1 ORDER BY block_number DESC LIMIT 1`,
    [number],
  );
  return row ?? null;
}

/** The lowest block from `number` on whose hash the ledger has, because it is kept or has a posting; null if there is none. */
export async function nextKnownBlock(
  { query }: Queries,
  number: bigint,
): Promise<Pick<PostedBlock, 'number' | 'hash'> | null> {
  const [row] = await query<Pick<PostedBlock, 'number' | 'hash'>>(
    `(SELECT block_number AS number, ${hashColumn('block_hash')} AS hash FROM postings WHERE block_number >= $1 ORDER BY 1 LIMIT 1)
     UNION ALL
     (SELECT number, hash FROM blocks WHERE number >= $1 AND complete ORDER BY 1 LIMIT 1)
     ORDER BY number LIMIT 1`,
    [number],
  );
  return row ?? null;
}

/** The oldest block that has a posting: the one in which the supply was minted. */
export async function oldestPosting({
  query,
}: Queries): Promise<{ readonly number: bigint; readonly hash: Hash } | null> {
  const [row] = await query<{ number: bigint; hash: Hash }>(
    `SELECT block_number AS number, ${hashColumn('block_hash')} AS hash FROM postings ORDER BY block_number LIMIT 1`,
  );
  return row ?? null;
}
