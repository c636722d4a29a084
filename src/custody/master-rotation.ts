import type { Tx } from '../db/database.ts';
import type { Queries } from '../db/queries.ts';
import { lockDataKeys, type MasterKey, unwrapEither, type Wrapped, type Wraps } from './data-keys.ts';

/** The wrapped secrets of both tables: every data key, and the seed. */
type WrappedRow = Wraps & { readonly what: Wrapped; readonly id: number };

/**
 * Which master key this is. `only`: the only one that opens this database. While it is replaced there are two: `old` and `new`. `foreign`:
 * it opens nothing here.
 */
export type MasterKeyRole = 'only' | 'old' | 'new' | 'foreign';

export async function roleOfMasterKey(db: Queries, masterKey: MasterKey): Promise<MasterKeyRole> {
  const rows = await readWraps(db);
  const opens = async (wraps: readonly (Buffer | null | undefined)[]) => {
    for (const [i, wrapped] of wraps.entries()) if (!(await doesOpen(masterKey, wrapped, rows[i]!.what))) return false;
    return true;
  };
  const isOpen = await opens(rows.map(({ wrapped }) => wrapped));
  if (!rows.some(({ next_wrapped }) => next_wrapped)) return isOpen ? 'only' : 'foreign';
  if (await opens(rows.map(({ next_wrapped }) => next_wrapped))) return 'new';
  return isOpen ? 'old' : 'foreign';
}

/**
 * Lets a second master key open the database: it wraps all secrets, beside the first one's wraps. Returns false if it does already.
 *
 * Throws if it is the first one, or if there is another second one.
 */
export async function addMasterKey(tx: Tx, current: MasterKey, next: MasterKey): Promise<boolean> {
  await lockDataKeys(tx);
  const rows = await readWraps(tx);
  const [first] = rows;
  if (await doesOpen(next, first?.wrapped, first!.what)) {
    throw new Error('This is the master key of this database already. Make another one: openssl rand -hex 32');
  }
  const role = await roleOfMasterKey(tx, next);
  if (role === 'new') return false;
  if (rows.some(({ next_wrapped }) => next_wrapped)) {
    throw new Error(
      'The master key is being replaced by another one. Finish that with --finish, or end it with --cancel.',
    );
  }
  for (const row of rows) {
    const secret = await unwrapEither(current, row, row.what);
    const params = [await next.wrap(secret, row.what), row.id];
    if (row.what === 'seed') await tx.query('UPDATE seed SET next_wrapped = $1 WHERE singleton AND $2 = 0', params);
    else await tx.query('UPDATE data_keys SET next_wrapped = $1 WHERE id = $2', params);
  }
  return true;
}

/** From now on the new master key alone opens the database. Throws unless it is `masterKey`. */
export async function dropOldMasterKey(tx: Tx, masterKey: MasterKey): Promise<void> {
  await lockDataKeys(tx);
  const role = await roleOfMasterKey(tx, masterKey);
  if (role === 'only') throw new Error('The master key is not being replaced: one key opens this database.');
  if (role !== 'new') {
    throw new Error('The settings still give the old master key. Give the new one to every process first.');
  }
  await tx.query('UPDATE data_keys SET wrapped = next_wrapped, next_wrapped = NULL');
  await tx.query('UPDATE seed SET wrapped = next_wrapped, next_wrapped = NULL, wrapped_at = now()');
}

/** From now on the old master key alone opens the database. Throws unless it is `masterKey`. */
export async function dropNewMasterKey(tx: Tx, masterKey: MasterKey): Promise<void> {
  await lockDataKeys(tx);
  const role = await roleOfMasterKey(tx, masterKey);
  if (role === 'only') throw new Error('The master key is not being replaced: one key opens this database.');
  if (role !== 'old') throw new Error('The settings give the new master key. Give the old one again first.');
  await tx.query('UPDATE data_keys SET next_wrapped = NULL');
  await tx.query('UPDATE seed SET next_wrapped = NULL');
}

async function readWraps({ query }: Queries): Promise<WrappedRow[]> {
  const rows = await query<WrappedRow>(
    `SELECT 'data key' AS what, id, wrapped, next_wrapped FROM data_keys
     UNION ALL SELECT 'seed', 0, wrapped, next_wrapped FROM seed ORDER BY id`,
  );
  if (rows.length < 2) throw new Error('This database has no keys yet. The first start of the service makes them.');
  return rows;
}

async function doesOpen(masterKey: MasterKey, wrapped: Buffer | null | undefined, what: Wrapped): Promise<boolean> {
  if (!wrapped) return false;
  return masterKey.unwrap(wrapped, what).then(
    () => true,
    () => false,
  );
}
