import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queries, Tx } from '../db/database.ts';

/**
 * Wraps and unwraps data keys and the seed. The local master key is 32 bytes. A key management service can implement the same two calls,
 * and its key then never enters this process.
 */
export type MasterKey = {
  wrap(secret: Uint8Array, what: Wrapped): Promise<Buffer>;
  /** Rejects if another master key wrapped the secret, if it was altered, or is something else. */
  unwrap(wrapped: Uint8Array, what: Wrapped): Promise<Uint8Array>;
};

export type Wrapped = 'data key' | 'seed';

/** The data keys by their ids, and the one that seals. The others open what is older, or newer. */
export type DataKeys = { readonly keys: ReadonlyMap<number, Uint8Array>; readonly sealing: number };

/** A wrapped secret. While the master key is replaced, the new one has wrapped it too. */
export type Wraps = { readonly wrapped: Buffer; readonly next_wrapped?: Buffer | null };
type DataKeyRow = Wraps & { readonly id: number; readonly seals_since?: Date | null };

/** Whether this database may hold sealed secrets. */
export async function hasDataKeys({ query }: Queries): Promise<boolean> {
  return (await query('SELECT FROM data_keys LIMIT 1')).length > 0;
}

/**
 * Opens the data keys. Those that are known need no master key. Null if there are none.
 *
 * Throws if the master key is not that of this database.
 */
export async function readDataKeys(
  { query }: Queries,
  masterKey: () => Promise<MasterKey>,
  known: DataKeys['keys'] = new Map(),
): Promise<DataKeys | null> {
  // All columns: doctor looks at the tables of earlier releases, too.
  const rows = await query<DataKeyRow>('SELECT * FROM data_keys ORDER BY id');
  const keys = new Map<number, Uint8Array>();
  let masterKeyOnce: Promise<MasterKey> | undefined;
  for (const row of rows) {
    const opened = known.get(row.id);
    if (!opened) masterKeyOnce ??= masterKey();
    keys.set(row.id, opened ?? (await unwrapEither(await masterKeyOnce!, row, 'data key')));
  }
  const sealing = rows.findLast(({ seals_since }) => seals_since !== null);
  return sealing ? { keys, sealing: sealing.id } : null;
}

/** Opens what is derived from; null if there is none. */
export async function readSeed({ query }: Queries, masterKey: MasterKey): Promise<Uint8Array | null> {
  const [row] = await query<Wraps>('SELECT * FROM seed');
  return row ? unwrapEither(masterKey, row, 'seed') : null;
}

/** A data key as operators see it. `sealsSince`: null if nothing is sealed under it yet. */
export type DataKeyView = {
  readonly id: number;
  readonly createdAt: Date;
  readonly sealsSince: Date | null;
  readonly hasNextWrap: boolean;
};

/** The data keys, the oldest first. */
export async function listDataKeys({ query }: Queries): Promise<DataKeyView[]> {
  return query<DataKeyView>(
    `SELECT id, created_at AS "createdAt", seals_since AS "sealsSince", next_wrapped IS NOT NULL AS "hasNextWrap"
       FROM data_keys ORDER BY id`,
  );
}

/** The seed as it is stored, for a recovery kit. `wrappedAt`: since when this master key wraps it. */
export async function readWrappedSeed({
  query,
}: Queries): Promise<{ readonly wrapped: Buffer; readonly wrappedAt: Date } | null> {
  const [row] = await query<{ wrapped: Buffer; wrappedAt: Date }>(
    'SELECT wrapped, wrapped_at AS "wrappedAt" FROM seed',
  );
  return row ?? null;
}

/**
 * Stores the seed of a recovery kit, wrapped as it is, in a database that has no keys yet: what opens the vault then finds it and makes none.
 * Called again, it changes nothing.
 *
 * Throws if the master key does not open the seed, or if the database has keys of its own.
 */
export async function adoptSeed(tx: Tx, masterKey: MasterKey, wrapped: Uint8Array): Promise<void> {
  await lockDataKeys(tx);
  const adopted = await masterKey.unwrap(Buffer.from(wrapped), 'seed').catch(() => {
    throw new Error(
      'The master key does not open this recovery kit. It needs the key that was in use when the kit was written.',
    );
  });
  const known = await readSeed(tx, masterKey);
  if (known && timingSafeEqual(known, adopted)) return;
  if (known || (await hasDataKeys(tx))) {
    throw new Error('This database has keys of its own. A recovery kit is for an empty one.');
  }
  await tx.query('INSERT INTO seed (wrapped) VALUES ($1)', [wrapped]);
}

/** The master key opens nothing here: see `explainForeignKey`. */
export class ForeignMasterKey extends Error {
  override readonly name = 'ForeignMasterKey';
}

/** Opens a secret with either master key. */
export async function unwrapEither(masterKey: MasterKey, row: Wraps, what: Wrapped): Promise<Uint8Array> {
  const wraps = [row.wrapped, row.next_wrapped ?? []].flat();
  for (const wrapped of wraps) {
    const secret = await masterKey.unwrap(wrapped, what).catch(() => null);
    if (secret) return secret;
  }
  throw new ForeignMasterKey(
    'The master key does not belong to this database. Start with the key that the database was created with, or that has replaced it.',
  );
}

/** Stores a new data key, which seals at once or not yet. Returns it. */
export async function addDataKey(
  { query }: Queries,
  masterKey: MasterKey,
  sealsAtOnce: boolean,
): Promise<{ readonly id: number; readonly key: Uint8Array }> {
  const key = randomBytes(32);
  const [row] = await query<{ id: number }>(
    'INSERT INTO data_keys (wrapped, seals_since) VALUES ($1, CASE WHEN $2 THEN now() END) RETURNING id',
    [await masterKey.wrap(key, 'data key'), sealsAtOnce],
  );
  return { id: row!.id, key };
}

/** Two processes that start at once must not create two first keys, or two seeds. */
export async function lockDataKeys({ query }: Queries): Promise<void> {
  await query('LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE');
}
