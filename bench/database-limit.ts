/**
 * The limit of everything that is stored: PostgreSQL alone, with two rows for each transfer, one inserted and one updated, in
 * groups that are committed together. Alone: `node bench/database-limit.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { runAlone } from './run.ts';

const ACCOUNTS = 10_000;
const GROUPS = [1, 10, 200];
/** Each commits one group at a time. */
const CONNECTIONS = 2;

const SCHEMA = [
  'CREATE TABLE accounts (id bigint PRIMARY KEY, posted bigint NOT NULL) WITH (fillfactor = 50)',
  'CREATE TABLE transfers (id uuid PRIMARY KEY, recipient bigint NOT NULL, amount bigint NOT NULL, signature bytea NOT NULL)',
  `INSERT INTO accounts SELECT i, 0 FROM generate_series(0, ${ACCOUNTS - 1}) AS i`,
  'VACUUM ANALYZE accounts',
];
// One statement for both, so that a group is one round trip and one COMMIT.
const GROUP = {
  name: 'group',
  text: `WITH added AS (
           INSERT INTO transfers (id, recipient, amount, signature)
           SELECT uuidv7(), recipient, 1, $2 FROM unnest($1::bigint[]) AS recipient
           RETURNING recipient, amount)
         UPDATE accounts SET posted = posted + amount FROM added WHERE id = recipient`,
};

async function measureDatabase({ seconds, quick }: Effort): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-bench-database-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await withClient(postgres.url, async (client) => {
      for (const statement of SCHEMA) await client.query(statement);
    });
    const figures: Figure[] = [];
    for (const size of GROUPS) {
      const value = await transactionsPerSecond(postgres.url, size, quick ? 1 : Math.min(5, seconds));
      figures.push({ name: `two-row transactions, groups of ${size}`, value, unit: '/s' });
    }
    return figures;
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function transactionsPerSecond(url: string, size: number, seconds: number): Promise<number> {
  const signature = Buffer.alloc(65, 7);
  const began = performance.now();
  let done = 0;
  // Each connection has accounts of its own, because two groups with one account would wait for each other.
  const commitGroups = (part: number) =>
    withClient(url, async (client) => {
      for (let next = 0; performance.now() - began < seconds * 1000; done += size) {
        const recipients = Array.from({ length: size }, () => (next++ * CONNECTIONS + part) % ACCOUNTS);
        await client.query({ ...GROUP, values: [recipients, signature] });
      }
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, part) => commitGroups(part)));
  return (done * 1000) / (performance.now() - began);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const databaseLimit: Claim = {
  name: 'database-limit',
  title: 'Limit: PostgreSQL alone',
  method: `A row inserted and a row updated for each transfer, over ${CONNECTIONS} connections. A group is one statement and one COMMIT.`,
  measure: measureDatabase,
};

if (import.meta.main) await runAlone(databaseLimit);
