import { openDatabase } from '../../src/db/database.ts';
import { migrateAlone } from '../../src/membership/membership.ts';
import { installTime } from './database-time.ts';
import { installKeeping } from './kept-rows.ts';
import { plantSeed } from './known-keys.ts';

/** Gives an empty database its tables, and what the emulator adds to them. */
export async function makeFirstDatabase(url: string): Promise<void> {
  await migrateAlone(url);
  const db = openDatabase(url, { maxConnections: 1 });
  await installTime(db);
  await installKeeping(db);
  await plantSeed(db);
  await db.close();
}
