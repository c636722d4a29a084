import { asHash, type Hash } from '../base/hex.ts';
import type { Query, Tx } from '../db/database.ts';

/** A block whose logs are in the ledger, or, while `complete` is false, those below `nextLogIndex`. */
export type PostedBlock = {
  readonly number: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly nextLogIndex: number;
  readonly complete: boolean;
};

type BlockRow = { number: bigint; hash: string; parent_hash: string; next_log_index: number; complete: boolean };

const COLUMNS = 'number, hash, parent_hash, next_log_index, complete';

const toBlock = (row: BlockRow): PostedBlock => ({
  number: row.number,
  hash: asHash(row.hash),
  parentHash: asHash(row.parent_hash),
  nextLogIndex: row.next_log_index,
  complete: row.complete,
});

/** Up to here the ledger mirrors the chain; null before the first block. */
export async function readCursor({ query }: { query: Query }): Promise<PostedBlock | null> {
  const [row] = await query<BlockRow>(`SELECT ${COLUMNS} FROM blocks ORDER BY number DESC LIMIT 1`);
  return row ? toBlock(row) : null;
}

/** Posted blocks from `number` downwards, newest first. */
export async function readPostedBlocks(
  { query }: { query: Query },
  number: bigint,
  limit: number,
): Promise<PostedBlock[]> {
  const rows = await query<BlockRow>(`SELECT ${COLUMNS} FROM blocks WHERE number <= $1 ORDER BY number DESC LIMIT $2`, [
    number,
    limit,
  ]);
  return rows.map(toBlock);
}

/**
 * Serialises everything that moves the ledger along the chain, over all processes. False where another process does it
 * right now. Held until the transaction ends.
 */
export async function lockFollowing({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.follow')) AS locked`,
  );
  return row?.locked ?? false;
}

/** Moves the cursor; in the same transaction as the postings it stands for. */
export async function storeBlock({ query }: Tx, block: PostedBlock): Promise<void> {
  await query(
    `INSERT INTO blocks (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (number) DO UPDATE SET next_log_index = excluded.next_log_index, complete = excluded.complete
       WHERE blocks.hash = excluded.hash`,
    [block.number, block.hash, block.parentHash, block.nextLogIndex, block.complete],
  );
}

/** The same for blocks that hold nothing of ours, in a row. */
export async function storeEmptyBlocks(
  { query }: Tx,
  blocks: readonly Pick<PostedBlock, 'number' | 'hash' | 'parentHash'>[],
): Promise<void> {
  await query(
    `INSERT INTO blocks (${COLUMNS})
     SELECT number, hash, parent_hash, 0, true FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (number, hash, parent_hash)`,
    [blocks.map(({ number }) => number), blocks.map(({ hash }) => hash), blocks.map(({ parentHash }) => parentHash)],
  );
}

export async function removeBlocksAbove({ query }: Tx, number: bigint): Promise<void> {
  await query('DELETE FROM blocks WHERE number > $1', [number]);
}

/** Forgets blocks that no reorganisation can reach any more. Their postings stay. What somebody else takes out just then is left to them. */
export async function pruneBlocksBelow({ query }: Tx, number: bigint): Promise<void> {
  await query(
    `DELETE FROM blocks WHERE number IN (
       SELECT number FROM blocks WHERE number < $1 ORDER BY number FOR UPDATE SKIP LOCKED)`,
    [number],
  );
}

/** The newest block at or below `number` that has a posting, however long ago the block itself was forgotten. */
export async function newestPosting(
  { query }: { query: Query },
  number: bigint,
): Promise<{ readonly number: bigint; readonly hash: Hash } | null> {
  const [row] = await query<{ block_number: bigint; block_hash: string }>(
    'SELECT block_number, block_hash FROM postings WHERE block_number <= $1 ORDER BY block_number DESC LIMIT 1',
    [number],
  );
  return row ? { number: row.block_number, hash: asHash(row.block_hash) } : null;
}
