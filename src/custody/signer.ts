import secp256k1 from 'secp256k1';
import { type Address, asAddress } from '../base/address.ts';
import { bytesToHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { KEY_ID_BYTES, type KeyId } from './seed.ts';
import type { Vault } from './vault.ts';

/** An ECDSA signature on secp256k1 in Ethereum's form: r ‖ s (64 bytes, s in the lower half, EIP-2) and the parity of y. */
export type Signature = { readonly rs: Uint8Array; readonly yParity: 0 | 1 };

/** Signs for one address and never exposes the private key. */
export type Signer = {
  readonly address: Address;
  /** `digest` is the 32 bytes to sign. */
  sign(digest: Uint8Array): Signature;
};

/** What the row of an account holds of its key: the id that it is derived from, or, of accounts from before, the sealed key. */
export type StoredKey = Uint8Array;

/** The address of a derived key. */
export function addressOfKey({ seed }: Pick<Vault, 'seed'>, keyId: KeyId): Address {
  const key = seed.privateKey(keyId);
  const publicKey = secp256k1.publicKeyCreate(key, false);
  key.fill(0);
  return addressOf(publicKey);
}

/** The address of an uncompressed public key: 0x04, x, y (yellow paper, appendix F). */
function addressOf(publicKey: Uint8Array): Address {
  return asAddress(bytesToHex(keccak256(publicKey.subarray(1)).subarray(12)));
}

/** Opens a signer for an account's key. */
export function openSigner(vault: Vault, address: Address, storedKey: StoredKey): Signer {
  const key = openKey(vault, address, storedKey);
  return {
    address,
    sign(digest) {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key);
      return { rs: signature, yParity: recid === 1 ? 1 : 0 };
    },
  };
}

/**
 * Opens an account's key, for custody alone. Throws if the key was sealed for another address. A derived key is not compared with the
 * address, which would take as long as signing: what another key signs is worth nothing there.
 */
export function openKey(vault: Vault, address: Address, storedKey: StoredKey): Buffer {
  if (storedKey.length === KEY_ID_BYTES) return vault.seed.privateKey(Buffer.from(storedKey) as KeyId);
  return vault.unseal(storedKey, `account ${address}`);
}

/** Digests to sign, with one key or several. Few large pieces are cheap to hand to another thread. */
export type Digests = {
  /** 32 bytes each. Wiped once they have signed. */
  readonly keys: Uint8Array<ArrayBuffer>;
  /** For each digest, the place of its key. */
  readonly keyOf: Uint32Array;
  /** 32 bytes each. */
  readonly digests: Uint8Array;
};

/** Signs each digest with its key, and wipes the keys. Returns 65 bytes for each: r ‖ s ‖ parity of y. */
export function signDigests({ keys, keyOf, digests }: Digests): Uint8Array<ArrayBuffer> {
  const signatures = new Uint8Array(keyOf.length * 65);
  for (const [i, place] of keyOf.entries()) {
    const digest = digests.subarray(i * 32, i * 32 + 32);
    const key = keys.subarray(place * 32, place * 32 + 32);
    const { recid } = secp256k1.ecdsaSign(digest, key, {}, signatures.subarray(i * 65, i * 65 + 64));
    signatures[i * 65 + 64] = recid;
  }
  keys.fill(0);
  return signatures;
}
