import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { Address } from '../base/address.ts';
import type { AppId } from '../base/ids.ts';

/** The bytes of a {@link KeyId}. No sealed key is so short. */
export const KEY_ID_BYTES = 16;

/** What a private key is derived from. Whoever has it without the seed has nothing. */
export type KeyId = Buffer & { readonly __kind: 'key id' };

/** Bits of a {@link Seed.mark}. */
export const MARK_BITS = 38n;

/**
 * What is derived from the one seed of an installation. The seed does not change, so that a backup of any age has the keys of all accounts
 * there will ever be, unless somebody else knows it (`seed-replacement.ts`). What is derived how can never change either.
 */
export type Seed = {
  /** HMAC-SHA-256 of the key id. With a chance of 2^-128 it is no private key: then no address is made of it, and nothing is stored. */
  privateKey(keyId: KeyId): Buffer;
  /** Shows that we made an id of this key id, for a guest of this app. Null: for somebody who is no guest. */
  mark(keyId: KeyId, appId: AppId | null): bigint;
  /** Shows that we made a key id of these bytes for a guest of this app. 6 bytes. */
  guestMark(name: Uint8Array, appId: AppId): Buffer;
  /** What an id is made of that follows from these texts. For others it is random. 32 bytes. */
  idMark(texts: readonly string[]): Buffer;
  /** Enciphers 16 bytes that name a payment, no two of them alike. For others the result is random. */
  encipherName(name: Uint8Array): Buffer;
  decipherName(what: Uint8Array): Buffer;
  /** Hides the key id of whom a payer pays for something, and shows it again: it is to be XORed. Has the bytes of a key id. */
  veil(payer: Address, what: Uint8Array): Buffer;
};

/** `seed`: 32 bytes. Each purpose has a key of its own (HKDF, RFC 5869). */
export function seedOf(seed: Uint8Array): Seed {
  const keyFor = (purpose: string, bytes = 32) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', seed, '', `quarters ${purpose} v1`, bytes)));
  const [accountKey, userId] = [keyFor('account key'), keyFor('user id')];
  const [guest, id, recipient] = [keyFor('guest'), keyFor('id'), keyFor('recipient')];
  // One block each, and never the same one twice: that is what this mode is for. Without padding a block comes out at once.
  const name = keyFor('payment name', 16);
  const cipher = createCipheriv('aes-128-ecb', name, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-128-ecb', name, null).setAutoPadding(false);
  return {
    privateKey: (keyId) => createHmac('sha256', accountKey).update(keyId).digest(),
    mark(keyId, appId) {
      const mac = createHmac('sha256', userId)
        .update(keyId)
        .update(appId ?? '')
        .digest();
      return mac.readBigUInt64BE() >> (64n - MARK_BITS);
    },
    guestMark: (bytes, appId) => createHmac('sha256', guest).update(bytes).update(appId).digest().subarray(0, 6),
    idMark: (texts) => createHmac('sha256', id).update(JSON.stringify(texts)).digest(),
    encipherName: (bytes) => cipher.update(bytes),
    decipherName: (what) => decipher.update(what),
    veil: (payer, what) =>
      createHmac('sha256', recipient).update(payer).update(what).digest().subarray(0, KEY_ID_BYTES),
  };
}
