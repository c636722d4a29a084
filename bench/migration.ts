/**
 * Measures the migration of a database of 1.0.0 with a million transfers: a request, a transfer, a transaction, a posting and an event each.
 * Alone: `node bench/migration.ts --runs 1`; ROWS sets how many there are.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import { readReleases } from '../scripts/releases.ts';
import { migrate } from '../src/db/migrate.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { writeHistory } from './growth-history.ts';
import { runAlone } from './run.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'migrations');
const VERSION = '1.0.0';
const APP = 'A'.repeat(20);

async function measureMigration({ quick }: Effort): Promise<Figure[]> {
  const transfers = Number(process.env.ROWS ?? (quick ? 50_000 : 1_000_000));
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-bench-migration-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await prepare(client, transfers);
    const [before, size] = [await readWhole(client), await sizeOf(client)];
    const rewritten = await secondsToRewrite(client);
    const began = performance.now();
    await migrate(postgres.url);
    const seconds = (performance.now() - began) / 1000;
    const after = await readWhole(client);
    if (before !== after) throw new Error(`The migration lost rows: ${before} became ${after}`);
    const sizeAfter = await sizeOf(client);
    await client.end();
    return [
      {
        name: `migration of ${transfers.toLocaleString('en')} transfers`,
        value: seconds,
        unit: 's',
        limit: { name: 'the table of transfers written once more', value: rewritten },
      },
      { name: 'the database before', value: size, unit: 'MB' },
      { name: 'the database afterwards', value: sizeAfter, unit: 'MB' },
    ];
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The tables of the release, with rows in them. */
async function prepare(client: pg.Client, transfers: number): Promise<void> {
  const last = readReleases(ROOT).find(({ version }) => version === VERSION)!.migration!;
  await client.query('CREATE TABLE migrations (id serial PRIMARY KEY, name text NOT NULL, run_on timestamp NOT NULL)');
  const files = readdirSync(FOLDER).filter((file) => /^\d+_/.test(file) && file <= last);
  for (const file of files.sort()) {
    await client.query(readFileSync(join(FOLDER, file), 'utf8'));
    await client.query('INSERT INTO migrations (name, run_on) VALUES ($1, now())', [file.replace('.sql', '')]);
  }
  await client.query('INSERT INTO apps (id, name) VALUES ($1, $2)', [APP, 'Bench']);
  await client.query(
    `INSERT INTO accounts (address, kind, app_id, sealed_key)
     VALUES ('0x' || repeat('11', 20), 'app', $1, decode(repeat('00', 60), 'hex')),
            ('0x' || repeat('22', 20), 'treasury', NULL, decode(repeat('00', 60), 'hex'))`,
    [APP],
  );
  await writeHistory(client, { appId: APP, accounts: transfers, postingsEach: 1 });
}

/** Counts and sums that no migration may change, as text. */
async function readWhole(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM transfers WHERE status = 'completed') AS transfers,
            (SELECT count(*) FROM requests) AS requests, (SELECT count(*) FROM transactions) AS transactions,
            (SELECT count(*) FROM events) AS events, (SELECT sum(posted) FROM accounts) AS posted,
            (SELECT sum(amount) FROM postings) AS postings`,
  );
  return JSON.stringify(rows[0]);
}

async function secondsToRewrite(client: pg.Client): Promise<number> {
  const began = performance.now();
  await client.query('CREATE TABLE bench_copy AS SELECT * FROM transfers');
  const seconds = (performance.now() - began) / 1000;
  await client.query('DROP TABLE bench_copy');
  await client.query('CHECKPOINT');
  return seconds;
}

async function sizeOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
  return Number(rows[0]!.size) / 1e6;
}

export const migration: Claim = {
  name: 'migration',
  title: `The migration of a database of ${VERSION}`,
  method:
    'Its tables are filled with transfers that are completed, one to each account. The command `migrate`, alone on its database.',
  measure: measureMigration,
};

if (import.meta.main) await runAlone(migration);
