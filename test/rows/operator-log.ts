import type { Queries } from '../../src/db/database.ts';

/** What somebody with a client of the database might try at the log, statement by statement. */
export const TAMPERING = [
  `UPDATE operator_log SET entry = '{"at":"","action":"","actor":{"id":""},"subject":{"id":""}}'`,
  'UPDATE operator_log SET sequence = 7, hash = hash WHERE sequence = 1',
  'UPDATE operator_log SET sequence = NULL, hash = NULL WHERE sequence = 1',
  'DELETE FROM operator_log WHERE sequence = 1',
  'DELETE FROM operator_log WHERE sequence IS NULL',
  'TRUNCATE operator_log',
  'INSERT INTO operator_log (entry, sequence, hash) SELECT entry, 2, hash FROM operator_log WHERE sequence = 1',
  `INSERT INTO operator_log_checkpoints (sequence, hash, signature) VALUES (1, sha256('x'), '')`,
] as const;

export type ChainedRow = { readonly sequence: bigint; readonly hash: Buffer; readonly entry: string };

/** The entries of the log as the database has them; those without a place come last. */
export function readLogRows({ query }: Queries): Promise<ChainedRow[]> {
  return query<ChainedRow>('SELECT sequence, hash, entry::text AS entry FROM operator_log ORDER BY sequence');
}

/** Every row of the log's tables, as one text. */
export async function readLogTables({ query }: Queries): Promise<string[]> {
  const rows = await query<{ row: string }>(
    `SELECT n::text AS row FROM operator_log_names n UNION ALL SELECT r::text FROM operator_log_reasons r
     UNION ALL SELECT o::text FROM operator_log o`,
  );
  return rows.map(({ row }) => row);
}

/** Rewrites entries as somebody does who may switch triggers off. */
export async function rewriteLog(
  { query }: Queries,
  sql: 'change' | 'delete' | 'cut off',
  sequence: number,
): Promise<void> {
  const statements = {
    change: `UPDATE operator_log SET entry = replace(entry::text, '"v":1', '"v":1 ')::json WHERE sequence = ${sequence}`,
    delete: `DELETE FROM operator_log WHERE sequence = ${sequence}`,
    'cut off': `DELETE FROM operator_log WHERE sequence > ${sequence}`,
  };
  await query(`DO $$ BEGIN SET LOCAL session_replication_role = replica; ${statements[sql]}; END $$`);
}

/** Makes a signed head due again. */
export async function ageLogHead({ query }: Queries): Promise<void> {
  await query(`UPDATE operator_log_checks SET head_written_at = now() - interval '25 hours'`);
}
