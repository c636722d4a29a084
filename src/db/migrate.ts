import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { endClient } from './client.ts';
import type { Queries } from './queries.ts';
import { SET_STYLE } from './session-style.ts';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Updates the database schema, up to the migration with this number. Several processes may call it at once (advisory lock). A service and
 * its commands call it through `src/membership`, which looks first at what else runs on the database.
 *
 * Returns the names of the migrations it applied.
 */
export async function migrate(url: string, upTo?: number): Promise<string[]> {
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
