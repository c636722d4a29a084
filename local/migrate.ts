import type { Settings } from '../src/config/settings.ts';
import { FolderLockedError, lockFolder } from '../src/data-folder.ts';
import { migrate } from '../src/db/migrate.ts';
import { migrateGiven } from '../src/parts.ts';
import { startEmbeddedPostgres } from './postgres/postgres.ts';

/** Updates the schema of DATABASE_URL, of the running service's database, or of the embedded database if nothing runs. */
export async function migrateDatabase(settings: Settings): Promise<{ applied: string[] }> {
  if (settings.databaseUrl) return migrateGiven(settings);
  try {
    const lock = await lockFolder(settings.dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir: settings.dataDir });
    try {
      return { applied: await migrate(postgres.url) };
    } finally {
      await postgres.stop();
      lock.release();
    }
  } catch (error) {
    if (error instanceof FolderLockedError) return migrateGiven(settings);
    throw error;
  }
}
