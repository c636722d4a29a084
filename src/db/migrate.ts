import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { endClient } from './end-client.ts';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Brings the database's schema up to date; safe to call from several processes at once (advisory lock).
 *
 * Returns the names of the migrations it applied.
 */
export async function migrate(url: string): Promise<string[]> {
  // Ours, as the runner does not wait for its own to be closed: a server that stops then would end the process.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    // A migration may take long; whether the other end is still there is asked beneath it.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // The query under way rejects with it.
  client.on('error', () => {});
  await client.connect();
  try {
    const applied = await runner({
      dbClient: client,
      dir: FOLDER,
      migrationsTable: 'migrations',
      direction: 'up',
      checkOrder: true,
      advisoryLockMode: 'wait',
      // schema.sql, the dumped result, stands beside the migrations.
      ignorePattern: '(?!\\d+_).*',
      log: () => {},
    });
    return applied.map(({ name }) => name);
  } finally {
    await endClient(client);
  }
}
