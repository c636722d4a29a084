import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Queries } from '../db/database.ts';
import { ForeignMasterKey, type MasterKey, readDataKeys, readWrappedSeed } from './data-keys.ts';
import { describeSource, type KeySettings, masterKeyFromFile, masterKeySource } from './master-key.ts';

/** What `rotate-master` leaves beside a key file, and the file itself. */
const REPLACED = /(\.old(-\d+)?|\.next)$/;

/**
 * Says why the master key of the settings does not open this database. Mostly one of them is from before a replacement of the key, and the
 * other is not: an older dump with the key of today, or the old key with the database of today. The key that opens it is looked for beside
 * the key file. Returns the error as it is if it is another one.
 */
export async function explainForeignKey(db: Queries, settings: KeySettings, error: unknown): Promise<unknown> {
  if (!(error instanceof ForeignMasterKey)) return error;
  const source = masterKeySource(settings);
  const head = `The master key (${describeSource(source)}) does not open this database`;
  const other = source.kind === 'file' ? await openingFile(db, source.path) : null;
  if (other) {
    const isOlder = REPLACED.test(other);
    const why = isOlder
      ? 'The database is from before `custody rotate-master`, as an older backup is'
      : 'The key was replaced by `custody rotate-master` after this one, and the database is newer';
    return new ForeignMasterKey(`${head}, and ${other} does. ${why}. Start with MASTER_KEY_FILE=${other}.`);
  }
  return new ForeignMasterKey(
    `${head}. ${await usedAt(db)}A backup from before \`custody rotate-master\` opens with the old key alone, which that command kept as master.key.old or left where it was. What is newer opens with the new key alone. Otherwise one of the two is of another installation.`,
  );
}

async function openingFile(db: Queries, path: string): Promise<string | null> {
  const folder = dirname(path);
  const stem = basename(path).replace(REPLACED, '');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.replace(REPLACED, '') === stem);
  for (const name of names.sort()) {
    const file = join(folder, name);
    const key = await masterKeyFromFile(file, false).catch(() => null);
    if (key && (await opens(db, key))) return file;
  }
  return null;
}

async function opens(db: Queries, key: MasterKey): Promise<boolean> {
  return readDataKeys(db, async () => key).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ForeignMasterKey) return false;
      throw error;
    },
  );
}

/** A database of an earlier release does not say it. */
async function usedAt(db: Queries): Promise<string> {
  const seed = await readWrappedSeed(db).catch(() => null);
  if (!seed) return '';
  return `It needs the key that was in use at ${seed.wrappedAt.toISOString().slice(0, 16)}Z. `;
}
