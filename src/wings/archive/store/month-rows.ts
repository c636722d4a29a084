import type { Address } from '../../../base/address.ts';
import type { Queries, Tx } from '../../../db/database.ts';
import type { PostedSum } from '../../../ledger/archived-months.ts';
import { ARCHIVED_TABLES, type ArchivedTable, tableOf } from './month-tables.ts';

/** The columns of the primary keys, by which rows are read in pages. */
const KEYS: Readonly<Record<ArchivedTable, readonly string[]>> = {
  transactions: ['relayer', 'nonce', 'attempt'],
  requests: ['id'],
  transfers: ['id'],
  postings: ['block_number', 'log_index', 'block_hash'],
};

/** A row as PostgreSQL writes it in JSON: bytes as `\x…`, times with their offset. */
export type RowText = string;

/** The next rows of a month after one (null: from the first), in the order of their keys, at most `most`. */
export async function readRows(
  { query }: Queries,
  kind: ArchivedTable,
  month: string,
  after: RowText | null,
  most: number,
): Promise<RowText[]> {
  const key = KEYS[kind].join(', ');
  const last = KEYS[kind].map((column) => `(SELECT ${column} FROM last)`).join(', ');
  const rows = await query<{ row: RowText }>(
    `WITH last AS MATERIALIZED (SELECT * FROM json_populate_record(NULL::${kind}, $1))
     SELECT to_json(one)::text AS row FROM ${tableOf(kind, month)} AS one
      WHERE ${after === null ? 'true' : `(${key}) > (${last})`} ORDER BY ${key} LIMIT $2`,
    [after ?? '{}', most],
  );
  return rows.map(({ row }) => row);
}

/** Stores rows of a file. Columns that it does not name are from after it was written, and take their defaults. */
export async function storeRows(
  { query }: Tx,
  kind: ArchivedTable,
  month: string,
  columns: readonly string[],
  rows: readonly RowText[],
): Promise<void> {
  if (columns.some((column) => !/^[a-z_]+$/.test(column))) throw new Error('The file names columns that are none.');
  const names = columns.join(', ');
  await query(
    `INSERT INTO ${tableOf(kind, month)} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${kind}, $1)`,
    [`[${rows.join(',')}]`],
  );
}

/** The columns of each table, in their order. */
export async function readColumns({ query }: Queries): Promise<Readonly<Record<ArchivedTable, readonly string[]>>> {
  const rows = await query<{ kind: ArchivedTable; columns: string[] }>(
    `SELECT attrelid::regclass::text AS kind, array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute
      WHERE attrelid = ANY($1::text[]::regclass[]) AND attnum > 0 AND NOT attisdropped GROUP BY attrelid`,
    [ARCHIVED_TABLES],
  );
  return Object.fromEntries(rows.map(({ kind, columns }) => [kind, columns])) as Record<ArchivedTable, string[]>;
}

const PAGE = 5_000;

/** What the postings of a month add up to, by account, in pages. Call it in a snapshot: it reads them all. */
export async function* sumByAccount({ query }: Tx, month: string): AsyncGenerator<readonly PostedSum[]> {
  const table = tableOf('postings', month);
  await query(
    `DECLARE sums NO SCROLL CURSOR FOR
     SELECT address, sum(amount)::bigint AS posted FROM (
       SELECT to_address AS address, amount FROM ${table} UNION ALL SELECT from_address, -amount FROM ${table}) AS entries
      GROUP BY address`,
  );
  for (;;) {
    const page = await query<{ address: Address; posted: bigint }>(`FETCH ${PAGE} FROM sums`);
    if (page.length > 0) yield page;
    if (page.length < PAGE) break;
  }
  await query('CLOSE sums');
}
