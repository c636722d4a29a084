import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { endClient } from './client.ts';
import { gaveUpWaiting } from './failures.ts';
import type { Queries, Query } from './queries.ts';
import { SET_STYLE } from './session-style.ts';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** `prepare`: see {@link prepareMigrations}. */
export type MigrateOptions = { readonly prepare?: true | undefined };

/**
 * Updates the database schema, up to the migration with this number. Several processes may call it at once (advisory lock). A service and
 * its commands call it through `src/membership`, which looks first at what else runs on the database.
 *
 * Returns the names of the migrations it applied.
 */
export function migrate(url: string, upTo?: number): Promise<string[]> {
  return connected(url, async (client) => {
    await requirePrepared(client);
    try {
      const applied = await runner({
        dbClient: client,
        dir: FOLDER,
        migrationsTable: 'migrations',
        direction: 'up',
        checkOrder: true,
        ...(upTo !== undefined && { count: upTo, timestamp: true }),
        advisoryLockMode: 'wait',
        // schema.sql, the dumped result, is in the same folder.
        ignorePattern: '(?!\\d+_).*',
        log: () => {},
      });
      return applied.map(({ name }) => name);
    } catch (error) {
      throw await missingGrant(client, error as Error).catch(() => error);
    }
  });
}

/** The key of the lock that whoever prepares holds: any number that nobody else takes. */
const PREPARING = 7_206_401;
/** So long payments wait at most behind a statement that itself waits for a lock. */
const LOCK_TIMEOUT_MS = 200;
const MOST_TRIES = 100;

/**
 * Does beforehand, while the release before works on the database, what would take the pending migrations long: files of
 * `migrations/prepare`, each named as the migration that finds it done. Ended anywhere, it goes on the next time. Returns their names.
 */
export function prepareMigrations(url: string): Promise<string[]> {
  return connected(url, async (client) => {
    const query: Query = async (text, values) => (await client.query(text, values as unknown[])).rows;
    const [lock] = await query<{ isFree: boolean }>('SELECT pg_try_advisory_lock($1) AS "isFree"', [PREPARING]);
    if (!lock!.isFree) throw new Error('Somebody prepares this database now.');
    const { pending, isNew } = await compareMigrations({ query });
    if (isNew) throw new Error('The database is empty: there is nothing to prepare.');
    const steps = (await readdir(join(FOLDER, 'prepare'))).sort().map((name) => basename(name, '.sql'));
    const due = steps.filter((name) => pending.includes(name));
    for (const name of due) {
      const text = await readFile(join(FOLDER, 'prepare', `${name}.sql`), 'utf8');
      for (const statement of text.split(/;\n\n/)) await prepare(query, statement);
    }
    return due;
  });
}

/** Before the first migration, so that the release before still starts. */
async function requirePrepared(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    String.raw`SELECT FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname LIKE 'prepared\_%' AND pg_table_is_visible(oid) AND NOT indisvalid`,
  );
  if (rows.length > 0) throw new Error('What "migrate --prepare" has begun is not finished. Run it again first.');
}

/** Each statement runs by itself, because an index that is built concurrently has no transaction around it. */
async function prepare(query: Query, statement: string): Promise<void> {
  const index = /CREATE INDEX CONCURRENTLY (\w+)/.exec(statement)?.[1];
  if (index) {
    const [found] = await query<{ isValid: boolean }>(
      'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
      [index],
    );
    if (found?.isValid) return;
    // What an ended attempt has left.
    if (found) await query(`DROP INDEX CONCURRENTLY ${index}`);
    await query(statement);
    return;
  }
  await query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  for (let tries = 1; ; tries++) {
    try {
      await query(statement);
      await query('RESET lock_timeout');
      return;
    } catch (error) {
      if (!gaveUpWaiting(error) || tries === MOST_TRIES) throw error;
      await delay(LOCK_TIMEOUT_MS);
    }
  }
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // The runner does not wait until its own client is closed, and a server that stops then would end the process.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    // A migration may take long, so TCP keep-alive checks the connection meanwhile.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // The current query rejects with the same error.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(SET_STYLE);
    return await work(client);
  } finally {
    await endClient(client);
  }
}

/**
 * The sentence for a role that may not create tables, or the error as it is. Since PostgreSQL 15 only the owner of a database may create
 * them in its schema `public`.
 */
async function missingGrant(client: pg.Client, error: Error): Promise<Error> {
  await client.query('ROLLBACK');
  const { rows } = await client.query<{ role: string; schema: string; may: boolean }>(
    `SELECT quote_ident(current_user) AS role, quote_ident(nspname) AS schema, has_schema_privilege(oid, 'CREATE') AS may
       FROM pg_namespace WHERE nspname = coalesce(current_schema(), 'public')`,
  );
  const [found] = rows;
  if (!found || found.may) return error;
  const { role, schema } = found;
  return new Error(
    `The role ${role} may not create tables in the schema ${schema}. As a superuser or the owner of the database, run: GRANT CREATE ON SCHEMA ${schema} TO ${role};`,
    { cause: error },
  );
}

/** The migrations of this version that the database does not have yet, in their order. */
export async function pendingMigrations(db: Queries): Promise<string[]> {
  return (await compareMigrations(db)).pending;
}

/** `pending`: this version's that the database lacks. `later`: the database's that this version does not know. Both in their order. */
export type MigrationState = { readonly pending: string[]; readonly later: string[]; readonly isNew: boolean };

/** Compares the schema of the database with that of this version. `isNew`: the database has nothing of ours yet. */
export async function compareMigrations({ query }: Queries): Promise<MigrationState> {
  const files = (await readdir(FOLDER)).filter((name) => /^\d+_.*\.sql$/.test(name)).map((name) => name.slice(0, -4));
  const known = await query<{ isThere: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS "isThere"`);
  const isNew = !known[0]!.isThere;
  const applied = isNew ? [] : await query<{ name: string }>('SELECT name FROM migrations');
  const names = new Set(applied.map(({ name }) => name));
  return {
    pending: files.filter((name) => !names.has(name)).sort(),
    later: [...names].filter((name) => !files.includes(name)).sort(),
    isNew,
  };
}
