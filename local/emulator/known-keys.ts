import { hash } from 'node:crypto';
import { adoptSeed } from '../../src/custody/data-keys.ts';
import { localMasterKey } from '../../src/custody/master-key.ts';
import type { Database } from '../../src/db/database.ts';

// The same on every machine, and known to everybody: what they protect is worth nothing. All keys of accounts are derived from them, so with
// `--seed` addresses are the same everywhere.

const secretOf = (what: string) => hash('sha256', `quarters emulator ${what}`, 'buffer');

export const MASTER_KEY = secretOf('master key').toString('hex');

/** Gives an empty database the seed of all emulators. */
export async function plantSeed(db: Database): Promise<void> {
  const masterKey = localMasterKey(Buffer.from(MASTER_KEY, 'hex'));
  const wrapped = await masterKey.wrap(secretOf('seed'), 'seed');
  await db.transaction((tx) => adoptSeed(tx, masterKey, wrapped));
}
