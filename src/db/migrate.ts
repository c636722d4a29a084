import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Brings the database's schema up to date; safe to call from several processes at once (advisory lock).
 *
 * Returns the names of the migrations it applied.
 */
export async function migrate(url: string): Promise<string[]> {
  const applied = await runner({
    databaseUrl: url,
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
}
