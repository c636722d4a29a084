import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Queries } from '../db/database.ts';
import { type Seed, seedOf } from './seed.ts';

/** Seals secrets for the database under data keys, which only the master key opens (envelope encryption). */
export type Vault = {
  /**
   * `context` says what is sealed (`account 0x…`), and the same context is needed to open it. If `secret` is given, it is
   * needed too: the data key alone then opens nothing.
   */
  seal(plain: Uint8Array, context: string, secret?: Uint8Array): Buffer;
  /** Throws if the bytes were altered, or were sealed for another context or with another secret. */
  unseal(sealed: Uint8Array, context: string, secret?: Uint8Array): Buffer;
  /** HMAC-SHA-256, with a separate key for each `purpose`. */
  mac(purpose: string, data: string): Buffer;
  macMatches(purpose: string, data: string, mac: Uint8Array): boolean;
  /** Throws if the database has none yet: the next start makes it. */
  readonly seed: Seed;
};

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

const DATA_KEY_ID_BYTES = 4;

/** Whether this database may hold sealed secrets. */
export async function hasDataKeys({ query }: Database): Promise<boolean> {
  return (await query('SELECT FROM data_keys LIMIT 1')).length > 0;
}

/**
 * Opens this database's vault. On a new database it creates the first data key and the seed, and on one of an earlier release the seed.
 *
 * Throws a readable Error if the master key does not belong to this database.
 */
export async function openVault(db: Database, masterKey: MasterKey): Promise<Vault> {
  const { dataKeys, seed } = await db.transaction(async (tx) => {
    // Two processes that start at once must not create two first keys, or two seeds.
    await tx.query('LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE');
    const dataKeys = await unwrapDataKeys(tx, masterKey);
    if (dataKeys.size === 0) await addDataKey(tx, masterKey, dataKeys);
    return { dataKeys, seed: (await unwrapSeed(tx, masterKey)) ?? (await addSeed(tx, masterKey)) };
  });
  return vaultOf(dataKeys, seedOf(seed));
}

/** Opens this database's vault as {@link openVault} does, but changes nothing: null on a new database. */
export async function openExistingVault(db: Queries, masterKey: MasterKey): Promise<Vault | null> {
  const dataKeys = await unwrapDataKeys(db, masterKey);
  if (dataKeys.size === 0) return null;
  const seed = await unwrapSeed(db, masterKey).catch((error: { readonly code?: string }) => {
    if (error.code === UNDEFINED_TABLE) return null;
    throw error;
  });
  return vaultOf(dataKeys, seed && seedOf(seed));
}

/** Of a database whose schema is that of an earlier release. */
const UNDEFINED_TABLE = '42P01';

type DataKeys = Map<number, Uint8Array>;

async function unwrapDataKeys({ query }: Queries, masterKey: MasterKey): Promise<DataKeys> {
  const rows = await query<{ id: number; wrapped: Buffer }>('SELECT id, wrapped FROM data_keys ORDER BY id');
  const dataKeys: DataKeys = new Map();
  for (const { id, wrapped } of rows) dataKeys.set(id, await unwrap(masterKey, wrapped, 'data key'));
  return dataKeys;
}

async function unwrapSeed({ query }: Queries, masterKey: MasterKey): Promise<Uint8Array | null> {
  const [row] = await query<{ wrapped: Buffer }>('SELECT wrapped FROM seed');
  return row ? unwrap(masterKey, row.wrapped, 'seed') : null;
}

function unwrap(masterKey: MasterKey, wrapped: Buffer, what: Wrapped): Promise<Uint8Array> {
  return masterKey.unwrap(wrapped, what).catch(() => {
    throw new Error(
      'The master key does not belong to this database. Start with the key that the database was created with.',
    );
  });
}

async function addDataKey({ query }: Queries, masterKey: MasterKey, dataKeys: DataKeys): Promise<void> {
  const dataKey = randomBytes(32);
  const wrapped = await masterKey.wrap(dataKey, 'data key');
  const [row] = await query<{ id: number }>('INSERT INTO data_keys (wrapped) VALUES ($1) RETURNING id', [wrapped]);
  dataKeys.set(row!.id, dataKey);
}

async function addSeed({ query }: Queries, masterKey: MasterKey): Promise<Uint8Array> {
  const seed = randomBytes(32);
  await query('INSERT INTO seed (wrapped) VALUES ($1)', [await masterKey.wrap(seed, 'seed')]);
  return seed;
}

function vaultOf(dataKeys: ReadonlyMap<number, Uint8Array>, seed: Seed | null): Vault {
  const newest = Math.max(...dataKeys.keys());

  const macUnder = (dataKey: Uint8Array, purpose: string, data: string) =>
    createHmac('sha256', Buffer.from(hkdfSync('sha256', dataKey, '', `mac ${purpose}`, 32)))
      .update(data)
      .digest();

  return {
    seal(plain, context, secret) {
      const id = Buffer.alloc(DATA_KEY_ID_BYTES);
      id.writeUInt32BE(newest);
      return Buffer.concat([id, encrypt(withSecret(dataKeys.get(newest)!, secret), plain, context)]);
    },
    unseal(sealed, context, secret) {
      const bytes = Buffer.from(sealed);
      const dataKey = dataKeys.get(bytes.readUInt32BE(0));
      if (!dataKey)
        throw new Error(`The secret is sealed under data key ${bytes.readUInt32BE(0)}, which this vault does not hold`);
      return decrypt(withSecret(dataKey, secret), bytes.subarray(DATA_KEY_ID_BYTES), context);
    },
    get seed() {
      if (!seed) throw new Error('This database has no seed yet. The next start of the service makes it.');
      return seed;
    },
    mac: (purpose, data) => macUnder(dataKeys.get(newest)!, purpose, data),
    macMatches(purpose, data, mac) {
      // Try every data key, because a MAC made before the newest key is still valid.
      return [...dataKeys.values()].some((dataKey) => {
        const expected = macUnder(dataKey, purpose, data);
        return mac.length === expected.length && timingSafeEqual(mac, expected);
      });
    },
  };
}

/** Derives a key that needs both: HKDF (RFC 5869) with the secret as salt. */
function withSecret(dataKey: Uint8Array, secret: Uint8Array | undefined): Uint8Array {
  return secret ? Buffer.from(hkdfSync('sha256', dataKey, secret, 'sealed with a secret', 32)) : dataKey;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM (NIST SP 800-38D): iv ‖ tag ‖ ciphertext. `context` is authenticated: it must match to decrypt. */
export function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Reverses {@link encrypt}. Throws if the key, context or bytes differ. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
