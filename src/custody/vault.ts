import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Queries } from '../db/database.ts';

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
};

/**
 * Wraps and unwraps data keys. The local master key is 32 bytes. A key management service can implement the same two calls,
 * and its key then never enters this process.
 */
export type MasterKey = {
  wrap(dataKey: Uint8Array): Promise<Buffer>;
  /** Rejects if another master key wrapped the data key, or if it was altered. */
  unwrap(wrapped: Uint8Array): Promise<Buffer>;
};

const KEY_ID_BYTES = 4;

/** Whether this database may hold sealed secrets. */
export async function hasDataKeys({ query }: Database): Promise<boolean> {
  return (await query('SELECT FROM data_keys LIMIT 1')).length > 0;
}

/**
 * Opens this database's vault. On a new database it creates the first data key.
 *
 * Throws a readable Error if the master key does not belong to this database.
 */
export async function openVault(db: Database, masterKey: MasterKey): Promise<Vault> {
  const rows = await db.transaction(async ({ query }) => {
    // Two processes that start at once must not create two first keys.
    await query('LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE');
    const existing = await readDataKeys({ query });
    if (existing.length > 0) return existing;
    const wrapped = await masterKey.wrap(randomBytes(32));
    return query<DataKey>('INSERT INTO data_keys (wrapped) VALUES ($1) RETURNING id, wrapped', [wrapped]);
  });
  return vaultOf(rows, masterKey);
}

/** Opens this database's vault as {@link openVault} does, but changes nothing: null on a new database. */
export async function openExistingVault(db: Queries, masterKey: MasterKey): Promise<Vault | null> {
  const rows = await readDataKeys(db);
  return rows.length === 0 ? null : vaultOf(rows, masterKey);
}

type DataKey = { readonly id: number; readonly wrapped: Buffer };

function readDataKeys({ query }: Queries): Promise<DataKey[]> {
  return query<DataKey>('SELECT id, wrapped FROM data_keys ORDER BY id');
}

async function vaultOf(rows: readonly DataKey[], masterKey: MasterKey): Promise<Vault> {
  const dataKeys = new Map<number, Buffer>();
  for (const { id, wrapped } of rows) {
    const dataKey = await masterKey.unwrap(wrapped).catch(() => {
      throw new Error(
        'The master key does not belong to this database. Start with the key that the database was created with.',
      );
    });
    dataKeys.set(id, dataKey);
  }
  const newest = Math.max(...dataKeys.keys());

  const macUnder = (dataKey: Buffer, purpose: string, data: string) =>
    createHmac('sha256', Buffer.from(hkdfSync('sha256', dataKey, '', `mac ${purpose}`, 32)))
      .update(data)
      .digest();

  return {
    seal(plain, context, secret) {
      const id = Buffer.alloc(KEY_ID_BYTES);
      id.writeUInt32BE(newest);
      return Buffer.concat([id, encrypt(withSecret(dataKeys.get(newest)!, secret), plain, context)]);
    },
    unseal(sealed, context, secret) {
      const bytes = Buffer.from(sealed);
      const dataKey = dataKeys.get(bytes.readUInt32BE(0));
      if (!dataKey)
        throw new Error(`The secret is sealed under data key ${bytes.readUInt32BE(0)}, which this vault does not hold`);
      return decrypt(withSecret(dataKey, secret), bytes.subarray(KEY_ID_BYTES), context);
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
function withSecret(dataKey: Buffer, secret: Uint8Array | undefined): Uint8Array {
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
