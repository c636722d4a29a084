import { readdirSync, readFileSync } from 'node:fs';
import { createDatabase } from '../kit/service/database.ts';
import { onServer } from '../kit/service/postgres.ts';
import type { Ending } from '../kit/unit/at-end.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

/** An empty database with the tables as the migrations before `name` leave them. The program's own migration continues there. */
export async function createOlderDatabase(t: Ending, name: string): Promise<string> {
  const url = await createDatabase(t);
  const earlier = readdirSync(FOLDER)
    .filter((file) => /^\d+_/.test(file) && file < name)
    .sort();
  await onServer(
    url,
    [
      'CREATE SCHEMA kept; ALTER TABLE migrations SET SCHEMA kept; DROP SCHEMA public CASCADE; CREATE SCHEMA public;',
      ...earlier.map((file) => readFileSync(new URL(file, FOLDER), 'utf8')),
      `ALTER TABLE kept.migrations SET SCHEMA public; DROP SCHEMA kept; DELETE FROM migrations WHERE name >= '${name}'`,
    ].join('\n'),
  );
  return url;
}

/** Records an update that only a later version knows. */
export async function addLaterMigration(url: string): Promise<void> {
  await onServer(url, `INSERT INTO migrations (name, run_on) VALUES ('9999_later', now())`);
}

/** Gives the tables the compatibility level of a release that does not run beside this one. */
export async function raiseLevel(url: string): Promise<void> {
  await onServer(url, 'UPDATE compatibility SET level = level + 1');
}
