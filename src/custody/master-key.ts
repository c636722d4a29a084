import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Wraps and unwraps data keys. The local master key is 32 bytes. A key management service can implement the same two calls,
 * and its key then never enters this process.
 */
export type MasterKey = {
  wrap(dataKey: Uint8Array): Promise<Buffer>;
  /** Rejects if another master key wrapped the data key, or if it was altered. */
  unwrap(wrapped: Uint8Array): Promise<Buffer>;
};

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

/** Makes a master key that is held in memory. `key` has 32 bytes. */
export function localMasterKey(key: Uint8Array): MasterKey {
  return {
    wrap: async (dataKey) => encrypt(key, dataKey, 'data key'),
    unwrap: async (wrapped) => decrypt(key, wrapped, 'data key'),
  };
}
