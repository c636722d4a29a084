import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Queries } from '../db/database.ts';
import { addDataKey, type DataKeys, lockDataKeys, type MasterKey, readDataKeys, readSeed } from './data-keys.ts';
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
  /** What {@link mac} gives now, and what it gave under each earlier data key, for what was made before the newest one. */
  everyMac(purpose: string, data: string): Buffer[];
  macMatches(purpose: string, data: string, mac: Uint8Array): boolean;
  /**
   * Takes over new data keys of the database, and which of them seals. Returns the newest one's id. `masterKey` is called only if there is a
   * new one.
   */
  update(db: Queries, masterKey: () => Promise<MasterKey>): Promise<number>;
  /** Throws if the database has none yet: the next start makes it. */
  readonly seed: Seed;
};

const DATA_KEY_ID_BYTES = 4;

/**
 * Opens this database's vault. On a new database it creates the first data key and the seed, and on one of an earlier release the seed.
 *
 * Throws if the master key does not belong to this database.
 */
export async function openVault(db: Database, masterKey: MasterKey): Promise<Vault> {
  const { dataKeys, seed } = await db.transaction(async (tx) => {
    await lockDataKeys(tx);
    const dataKeys = (await readDataKeys(tx, async () => masterKey)) ?? (await firstDataKey(tx, masterKey));
    return { dataKeys, seed: (await readSeed(tx, masterKey)) ?? (await addSeed(tx, masterKey)) };
  });
  return vaultOf(dataKeys, seedOf(seed));
}

/** Opens this database's vault as {@link openVault} does, but changes nothing: null on a new database. */
export async function openExistingVault(db: Queries, masterKey: MasterKey): Promise<Vault | null> {
  const dataKeys = await readDataKeys(db, async () => masterKey);
  if (!dataKeys) return null;
  const seed = await readSeed(db, masterKey).catch((error: { readonly code?: string }) => {
    if (error.code === UNDEFINED_TABLE) return null;
    throw error;
  });
  return vaultOf(dataKeys, seed && seedOf(seed));
}

/** Of a database whose schema is that of an earlier release. */
const UNDEFINED_TABLE = '42P01';

async function firstDataKey(tx: Queries, masterKey: MasterKey): Promise<DataKeys> {
  const { id, key } = await addDataKey(tx, masterKey, true);
  return { keys: new Map([[id, key]]), sealing: id };
}

async function addSeed({ query }: Queries, masterKey: MasterKey): Promise<Uint8Array> {
  const seed = randomBytes(32);
  await query('INSERT INTO seed (wrapped) VALUES ($1)', [await masterKey.wrap(seed, 'seed')]);
  return seed;
}

function vaultOf(opened: DataKeys, seed: Seed | null): Vault {
  let dataKeys = opened;

  const macUnder = (dataKey: Uint8Array, purpose: string, data: string) =>
    createHmac('sha256', Buffer.from(hkdfSync('sha256', dataKey, '', `mac ${purpose}`, 32)))
      .update(data)
      .digest();

  const everyMac = (purpose: string, data: string) => {
    const { keys, sealing } = dataKeys;
    const others = [...keys.entries()].filter(([id]) => id !== sealing).map(([, key]) => key);
    return [keys.get(sealing)!, ...others].map((key) => macUnder(key, purpose, data));
  };

  return {
    seal(plain, context, secret) {
      const id = Buffer.alloc(DATA_KEY_ID_BYTES);
      const { keys, sealing } = dataKeys;
      id.writeUInt32BE(sealing);
      return Buffer.concat([id, encrypt(withSecret(keys.get(sealing)!, secret), plain, context)]);
    },
    unseal(sealed, context, secret) {
      const bytes = Buffer.from(sealed);
      const id = bytes.readUInt32BE(0);
      const dataKey = dataKeys.keys.get(id);
      if (!dataKey) throw new Error(`The secret is sealed under data key ${id}, which this vault does not hold`);
      return decrypt(withSecret(dataKey, secret), bytes.subarray(DATA_KEY_ID_BYTES), context);
    },
    async update(db, masterKey) {
      const stored = await readDataKeys(db, masterKey, dataKeys.keys);
      // What this process has read of a row before may be sealed under a key that is deleted by now.
      if (stored) dataKeys = { ...stored, keys: new Map([...dataKeys.keys, ...stored.keys]) };
      return Math.max(...(stored ?? dataKeys).keys.keys());
    },
    get seed() {
      if (!seed) throw new Error('This database has no seed yet. The next start of the service makes it.');
      return seed;
    },
    mac: (purpose, data) => macUnder(dataKeys.keys.get(dataKeys.sealing)!, purpose, data),
    everyMac,
    macMatches(purpose, data, mac) {
      // A MAC made under another key than the one that seals now is valid, too.
      return everyMac(purpose, data).some(
        (expected) => mac.length === expected.length && timingSafeEqual(mac, expected),
      );
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
