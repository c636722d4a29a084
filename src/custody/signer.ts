import { randomBytes } from 'node:crypto';
import secp256k1 from 'secp256k1';
import { publicKeyToAddress } from 'viem/utils';
import { type Address, asAddress } from '../base/address.ts';
import { bytesToHex, type Hex } from '../base/hex.ts';
import type { Vault } from './vault.ts';

/** An ECDSA signature over secp256k1 in Ethereum's form: r ‖ s (64 bytes, s in the lower half, EIP-2) and the parity of y. */
export type Signature = { readonly rs: Uint8Array; readonly yParity: 0 | 1 };

/** Signs for one address. The private key stays inside. */
export type Signer = {
  readonly address: Address;
  /** `digest`: the 32 bytes to sign. */
  sign(digest: Uint8Array): Signature;
};

/** Makes a new key. Returns its address and the key sealed with that address as its context. */
export function createKey(vault: Vault): { address: Address; sealedKey: Buffer } {
  let key: Buffer;
  do key = randomBytes(32);
  while (!secp256k1.privateKeyVerify(key));
  const publicKey = secp256k1.publicKeyCreate(key, false);
  const address = asAddress(publicKeyToAddress(bytesToHex(publicKey) as Hex));
  const sealedKey = vault.seal(key, sealingContext(address));
  key.fill(0);
  return { address, sealedKey };
}

/** A signer for a sealed key; throws where the key was sealed for another address. */
export function openSigner(vault: Vault, address: Address, sealedKey: Uint8Array): Signer {
  const key = vault.unseal(sealedKey, sealingContext(address));
  return {
    address,
    sign(digest) {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key);
      return { rs: signature, yParity: recid === 1 ? 1 : 0 };
    },
  };
}

/** The address is authenticated with the key: a row copied over another account's row does not open. */
function sealingContext(address: Address): string {
  return `account ${address}`;
}
