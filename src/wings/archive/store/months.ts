import type { Queries, Tx } from '../../../db/database.ts';
import type { Counts } from './month-tables.ts';

const MONTH = `month = to_date($1, 'YYYY-MM')`;

/** Begins a month, or goes on with it. Returns the last block of its rows, which stays what it was. Null: all of it has moved. */
export async function beginMonth({ query }: Tx, month: string, lastBlock: bigint): Promise<bigint | null> {
  await query(
    `INSERT INTO archived_months (month, last_block) VALUES (to_date($1, 'YYYY-MM'), $2) ON CONFLICT DO NOTHING`,
    [month, lastBlock],
  );
  const [row] = await query<{ lastBlock: bigint }>(
    `SELECT last_block AS "lastBlock" FROM archived_months WHERE ${MONTH} AND moved_at IS NULL`,
    [month],
  );
  return row?.lastBlock ?? null;
}

/**
 * Locks a month that is being moved, if `depth` blocks are above its last one. So no reorganisation takes back what is moved, and nobody
 * else moves it. Null if its rows may not be moved now.
 */
export async function lockMoving({ query }: Tx, month: string, depth: bigint): Promise<{ lastBlock: bigint } | null> {
  const [row] = await query<{ lastBlock: bigint }>(
    `SELECT last_block AS "lastBlock" FROM archived_months
      WHERE ${MONTH} AND moved_at IS NULL AND detaching_at IS NULL AND last_block + $2::bigint <= (
        SELECT number FROM blocks WHERE complete ORDER BY number DESC LIMIT 1) FOR NO KEY UPDATE`,
    [month, depth],
  );
  return row ?? null;
}

export async function finishMonth({ query }: Tx, month: string, counts: Counts): Promise<void> {
  await query(
    `UPDATE archived_months SET moved_at = now(), requests = $2, transfers = $3, transactions = $4, postings = $5 WHERE ${MONTH}`,
    [month, counts.requests, counts.transfers, counts.transactions, counts.postings],
  );
}

/** From now on nothing may change in the month, or that is over. */
export async function setDetaching({ query }: Queries, month: string, isDetaching: boolean): Promise<void> {
  await query(
    `UPDATE archived_months SET detaching_at = CASE WHEN $2 THEN now() END WHERE ${MONTH} AND detached_at IS NULL`,
    [month, isDetaching],
  );
}

/** The month is in this file only; null: it is in the database again. */
export async function setFile(
  { query }: Tx,
  month: string,
  file: { readonly name: string; readonly sha256: string } | null,
): Promise<void> {
  await query(
    `UPDATE archived_months SET detaching_at = NULL, detached_at = CASE WHEN $2::text IS NOT NULL THEN now() END, file = $2,
            sha256 = decode($3, 'hex') WHERE ${MONTH}`,
    [month, file?.name ?? null, file?.sha256 ?? null],
  );
}
