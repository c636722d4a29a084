import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Wraps and unwraps data keys. The local one holds 32 bytes; a key management service implements the same two calls, and
 * its key never enters this process.
 */
export type MasterKey = {
  wrap(dataKey: Uint8Array): Promise<Buffer>;
  /** Rejects where the key was wrapped by another master key, or altered. */
  unwrap(wrapped: Uint8Array): Promise<Buffer>;
};

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM (NIST SP 800-38D): iv ‖ tag ‖ ciphertext. `context` is authenticated: what is sealed for one use opens for no other. */
export function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** The reverse of {@link encrypt}; throws where key, context or bytes are not the same. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}

/** A master key held in memory. `key`: 32 bytes. */
export function localMasterKey(key: Uint8Array): MasterKey {
  return {
    wrap: async (dataKey) => encrypt(key, dataKey, 'data key'),
    unwrap: async (wrapped) => decrypt(key, wrapped, 'data key'),
  };
}
