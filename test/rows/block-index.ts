import assert from 'node:assert/strict';
import { type Database, gaveUpWaiting } from '../../src/db/database.ts';
import type { Queries } from './statements.ts';

/**
 * Fills the table with transfers, each completed in a block of its own from 1 on, on pages that are nearly empty. From then on nobody else
 * looks after the table and its index.
 */
export async function spreadTransfers({ query }: Queries, rows: number): Promise<void> {
  await query('ALTER TABLE transfers SET (fillfactor = 10, autovacuum_enabled = off)');
  await query('ALTER INDEX transfers_by_decided_block SET (autosummarize = off)');
  await query(
    `INSERT INTO transfers (id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, is_split, status, decided_block)
     SELECT gen_random_uuid(), '0x1', '0x2', 1, decode(repeat('00', 32), 'hex'), '0x3', n, false, 'completed', n
       FROM generate_series(1, $1::int) AS n`,
    [rows],
  );
  await summarize({ query });
}

/** Drops all summaries of the index by block, cancels PostgreSQL while it makes them again, and lets it make those that are missing. */
export async function interruptSummaries(db: Database): Promise<void> {
  await db.query(
    `SELECT brin_desummarize_range('transfers_by_decided_block', page)
       FROM generate_series(0, pg_relation_size('transfers') / 8192, 32) AS page`,
  );
  const cancelled = db.transaction(async (tx) => {
    await tx.query(`SELECT set_config('statement_timeout', '1ms', true)`);
    await summarize(tx);
  });
  await assert.rejects(cancelled, gaveUpWaiting);
  await summarize(db);
}

async function summarize({ query }: Queries): Promise<void> {
  await query(`SELECT brin_summarize_new_values('transfers_by_decided_block')`);
}

/** How many pages of the table a search for this block reads. */
export async function pagesReadFor({ query }: Queries, block: number): Promise<number> {
  const [row] = await query<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) SELECT id FROM transfers WHERE decided_block BETWEEN $1::bigint AND $1::bigint`,
    [block],
  );
  return Number(/"Lossy Heap Blocks": (\d+)/.exec(JSON.stringify(row, null, 1))![1]);
}
