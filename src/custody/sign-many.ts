import type { Address } from '../base/address.ts';
import { threadOf } from '../base/thread.ts';
import { type Digests, openKey, type Signature, signDigests } from './signer.ts';
import type { Vault } from './vault.ts';

/** 32 bytes to sign, and the sealed key of the account that signs them. */
export type ToSign = { readonly address: Address; readonly storedKey: Uint8Array; readonly digest: Uint8Array };

/** So few are signed at once, because the round trip to the thread would take longer. */
const FEW = 8;

/**
 * Signs digests of one or several accounts. Returns the signatures in the same order. Many are signed in a thread, so
 * that this one works on something else meanwhile.
 *
 * Rejects if a key was sealed for another address, if a digest has not 32 bytes, or if the thread ends before it has
 * signed. The next call then starts another thread.
 */
export async function signMany(vault: Vault, items: readonly ToSign[]): Promise<Signature[]> {
  const digests = openAll(vault, items);
  const signatures = items.length <= FEW ? signDigests(digests) : await signInThread(digests);
  return items.map((_, i) => ({
    rs: signatures.subarray(i * 65, i * 65 + 64),
    yParity: signatures[i * 65 + 64] === 1 ? 1 : 0,
  }));
}

/** Opens the key of each account once. */
function openAll(vault: Vault, items: readonly ToSign[]): Digests {
  const accounts = new Map(items.map(({ address, storedKey }) => [address, storedKey]));
  const places = new Map([...accounts.keys()].map((address, place) => [address, place]));
  const keys = new Uint8Array(accounts.size * 32);
  for (const [address, storedKey] of accounts) {
    const key = openKey(vault, address, storedKey);
    keys.set(key, places.get(address)! * 32);
    key.fill(0);
  }
  const digests = new Uint8Array(items.length * 32);
  for (const [i, { digest }] of items.entries()) {
    if (digest.length !== 32) throw new Error(`A digest of ${digest.length} bytes cannot be signed`);
    digests.set(digest, i * 32);
  }
  return { keys, keyOf: Uint32Array.from(items, ({ address }) => places.get(address)!), digests };
}

const sign = threadOf<Digests, Uint8Array>(new URL('./signing-thread.ts', import.meta.url), 'signing');

function signInThread(digests: Digests): Promise<Uint8Array> {
  // The keys are moved and not copied, so no other thread has them any more.
  return sign(digests, [digests.keys.buffer]);
}
