import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../local/postgres/postgres.ts';
import { migrate } from '../../../src/db/migrate.ts';

export const TEMPLATE = 'quarters_template';

/** The role of all tests has the oddest defaults, since the program must not depend on any. */
export const ODD_STYLE = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
} as const;

/** A PostgreSQL for tests with a migrated template database. Returns the URL of its maintenance database. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-test-pg-'));
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true });
  const stop = async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    for (const [name, value] of Object.entries(ODD_STYLE))
      await onServer(postgres.url, `ALTER ROLE CURRENT_USER SET ${name} = '${value}'`);
    await onServer(postgres.url, `CREATE DATABASE ${TEMPLATE}`);
    await migrate(inDatabase(postgres.url, TEMPLATE));
    return { url: postgres.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // CREATE DATABASE … TEMPLATE fails while another process copies the same template, so they take turns.
    await client.query('SELECT pg_advisory_lock(1)');
    await client.query(statement);
  } finally {
    await client.end();
  }
}
