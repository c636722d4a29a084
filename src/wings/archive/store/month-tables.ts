import type { Tx } from '../../../db/database.ts';

/** The tables whose rows are archived, in the order in which they leave. */
export const ARCHIVED_TABLES = ['transactions', 'requests', 'transfers', 'postings'] as const;
export type ArchivedTable = (typeof ARCHIVED_TABLES)[number];

/** The table with a month's rows of one kind. `month`: such as `2026-03`. */
export function tableOf(kind: ArchivedTable, month: string): string {
  if (!/^\d{4}-\d\d$/.test(month)) throw new Error(`"${month}" is no month`);
  return `archived_${kind}_${month.replace('-', '_')}`;
}

/** Within this, whoever waits for a lock of the archive has it, or the archive gives up and tries again later. */
const LOCKED_MS = 50;

/**
 * Begins a transaction that may hold locks for which payments wait: each of its statements ends within {@link LOCKED_MS}, also if it waits
 * for others, and its COMMIT waits for no disk and no standby. If it is lost in a crash, the rows are where they were.
 */
export async function keepShort({ query }: Tx): Promise<void> {
  await query(
    `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true), set_config('synchronous_commit', 'off', true)`,
    [`${LOCKED_MS}ms`],
  );
}

/**
 * Makes the tables of a month. They inherit from the live ones, with their indexes, so every statement on these reads them too. It locks out
 * nobody who reads or writes. `lastBlock`: no later block has postings there, which the planner knows by that.
 */
export async function createTables(
  { query }: Tx,
  month: string,
  lastBlock: bigint,
  tablespace: string | null,
): Promise<void> {
  if (tablespace) await query(`SELECT set_config('default_tablespace', $1, true)`, [tablespace]);
  for (const kind of ARCHIVED_TABLES) await query(`${createTable(kind, month, lastBlock)} INHERITS (${kind})`);
}

function createTable(kind: ArchivedTable, month: string, lastBlock: bigint): string {
  const check = kind === 'postings' ? `, CHECK (block_number <= ${lastBlock})` : '';
  return `CREATE TABLE IF NOT EXISTS ${tableOf(kind, month)} (LIKE ${kind} INCLUDING ALL${check})`;
}

/** Makes empty tables for a month that is read from a file. They are no part of the live ones before {@link joinTables}. */
export async function createLooseTables({ query }: Tx, month: string, lastBlock: bigint): Promise<void> {
  for (const kind of ARCHIVED_TABLES) {
    await query(`DROP TABLE IF EXISTS ${tableOf(kind, month)}`);
    await query(createTable(kind, month, lastBlock));
  }
}

export async function joinTables({ query }: Tx, month: string): Promise<void> {
  for (const kind of ARCHIVED_TABLES) await query(`ALTER TABLE ${tableOf(kind, month)} INHERIT ${kind}`);
}

/** Drops the tables of a month, in one statement. Whoever reads one of them now is waited for; whoever comes later waits for this. */
export async function dropTables({ query }: Tx, month: string): Promise<void> {
  const tables = ARCHIVED_TABLES.map((kind) => tableOf(kind, month)).join(', ');
  await query(`DO $$ BEGIN LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE; DROP TABLE ${tables}; END $$`);
}

/** Rows of each table of a month. */
export type Counts = Readonly<Record<ArchivedTable, bigint>>;

/** Call it in a snapshot, which has the time to read them all. */
export async function countRows({ query }: Tx, month: string): Promise<Counts> {
  const each = ARCHIVED_TABLES.map((kind) => `(SELECT count(*) FROM ${tableOf(kind, month)}) AS ${kind}`);
  const [row] = await query<Counts>(`SELECT ${each.join(', ')}`);
  return row!;
}
