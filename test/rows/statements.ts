import { randomBytes } from 'node:crypto';
import type { Query } from '../../src/db/database.ts';
import { Expression, toColumn } from './times.ts';

/** A database, or a transaction of one. */
export type Queries = { readonly query: Query };

/** Selects rows. A list stands for any of its values; no column at all selects all rows. */
export type Where<Columns> = { readonly [Name in keyof Columns]?: Columns[Name] | readonly Columns[Name][] };

/** The new values of columns. */
export type Change<Columns> = { readonly [Name in keyof Columns]?: Columns[Name] | Expression };

type Row = Readonly<Record<string, unknown>>;

export const randomHash = () => `0x${randomBytes(32).toString('hex')}`;

/** Inserts rows, which all have the same columns; other columns take the table's defaults. */
export async function insertRows({ query }: Queries, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!).map((name) => [name, toColumn(name)] as const);
  const records = rows.map((row) => {
    if (Object.keys(row).length !== columns.length) throw new Error('These rows name different columns');
    return Object.fromEntries(columns.map(([name, column]) => [column, toJsonValue(row[name])]));
  });
  const names = columns.map(([, column]) => column).join(', ');
  const text = `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1)`;
  await query(text, [JSON.stringify(records)]);
}

/** The form in which the database reads the value from JSON. */
function toJsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'bigint' ? value.toString() : value;
}

/**
 * Returns a function that inserts rows of one table, each with `Needed` columns and any others. Missing columns come
 * from `defaults`, made for each row; `now` is the same moment for all rows of a call.
 */
export function inserting<Columns, Needed extends keyof Columns>(table: string, defaults: (now: Date) => Row) {
  return (db: Queries, rows: readonly (Pick<Columns, Needed> & Partial<Columns>)[]): Promise<void> => {
    const now = new Date();
    return insertRows(
      db,
      table,
      rows.map((row) => ({ ...defaults(now), ...row })),
    );
  };
}

/** Returns a function that changes the rows of one table. */
export function changing<Columns>(table: string) {
  return async ({ query }: Queries, where: Where<Columns>, change: Change<Columns>): Promise<void> => {
    const values: unknown[] = [];
    const assignments = Object.entries<unknown>(change).map(
      ([name, value]) => `${toColumn(name)} = ${value instanceof Expression ? value.sql : `$${values.push(value)}`}`,
    );
    await query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE ${conditions(where, values)}`, values);
  };
}

/** Returns a function that deletes rows of one table. */
export function removing<Columns>(table: string) {
  return async ({ query }: Queries, where: Where<Columns>): Promise<void> => {
    const values: unknown[] = [];
    await query(`DELETE FROM ${table} WHERE ${conditions(where, values)}`, values);
  };
}

function conditions(where: object, values: unknown[]): string {
  const each = Object.entries(where).map(([name, value]) => {
    const at = `$${values.push(value)}`;
    return `${toColumn(name)} = ${Array.isArray(value) ? `ANY(${at})` : at}`;
  });
  return each.join(' AND ') || 'true';
}
