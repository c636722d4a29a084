import type { Settings } from '../config/settings.ts';
import { startEmbeddedPostgres } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { databaseFault } from '../db/reachable.ts';
import { FolderLockedError, lockFolder } from '../process/folder-lock.ts';
import { readRunning } from './running-file.ts';

/** Updates the schema of DATABASE_URL, of the running service's database, or of the embedded database if nothing runs. */
export async function migrateDatabase(settings: Settings): Promise<{ applied: string[] }> {
  if (settings.databaseUrl) {
    const fault = await databaseFault(settings.databaseUrl);
    if (fault) throw new Error(`DATABASE_URL: ${fault}.`);
    return { applied: await migrate(settings.databaseUrl) };
  }
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
    if (!(error instanceof FolderLockedError)) throw error;
    const running = await readRunning(settings.dataDir);
    if (!running?.databaseUrl) throw error;
    return { applied: await migrate(running.databaseUrl) };
  }
}
