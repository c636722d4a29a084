import { randomBytes } from 'node:crypto';
import type { AppId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { lockDataKeys, type MasterKey, readSeed, type Wraps } from './data-keys.ts';
import { keyIdOfApp, keyIdOfService, newKeyId, type ServiceAccount } from './key-ids.ts';
import type { CreatedKey } from './new-keys.ts';
import { KEY_ID_BYTES, type KeyId, type Seed, seedOf } from './seed.ts';
import { addressOfKey, openKey, type StoredKey } from './signer.ts';
import type { Vault } from './vault.ts';

/**
 * Puts a new seed in place of the one that somebody else knows. Until the transaction ends, nobody opens a vault of this database. What was
 * derived from the old seed has to get other keys in the same transaction: {@link newKeyOf}.
 *
 * Throws while the master key is being replaced: this process could wrap with one of the two only.
 */
export async function replaceSeed(tx: Tx, masterKey: MasterKey): Promise<Seed> {
  await lockDataKeys(tx);
  if (!(await readSeed(tx, masterKey))) throw new Error('This database has no seed yet: there is nothing to sweep.');
  const wraps = await tx.query<Wraps>(
    'SELECT wrapped, next_wrapped FROM data_keys UNION ALL SELECT wrapped, next_wrapped FROM seed',
  );
  if (wraps.some(({ next_wrapped }) => next_wrapped)) {
    throw new Error('The master key is being replaced. Finish that first: quarters custody rotate-master --finish');
  }
  const seed = randomBytes(32);
  await tx.query('UPDATE seed SET wrapped = $1, created_at = now(), wrapped_at = now()', [
    await masterKey.wrap(seed, 'seed'),
  ]);
  return seedOf(seed);
}

/** Whose key it is. `other`: a user's, or an account's that belongs to nobody. */
export type KeyOwner =
  | { readonly kind: 'app'; readonly appId: AppId }
  | { readonly kind: 'service'; readonly account: ServiceAccount }
  | { readonly kind: 'other' };

type OldKey = { readonly address: CreatedKey['address']; readonly storedKey: StoredKey };

/** The key under a new seed. Its id stays, since ids of users carry it; a key that was sealed gets one. */
export function newKeyOf(seed: Seed, owner: KeyOwner, { storedKey }: Pick<OldKey, 'storedKey'>): CreatedKey {
  const keyId = isKeyId(storedKey) ? storedKey : keyIdOf(owner);
  return { address: addressOfKey({ seed }, keyId), keyId };
}

/** The old key itself, sealed: nothing else has it once its seed is gone. */
export function sealOldKey(vault: Vault, { address, storedKey }: OldKey): Uint8Array {
  if (!isKeyId(storedKey)) return storedKey;
  const key = openKey(vault, address, storedKey);
  const sealed = vault.seal(key, `account ${address}`);
  key.fill(0);
  return sealed;
}

const isKeyId = (storedKey: StoredKey): storedKey is KeyId => storedKey.length === KEY_ID_BYTES;

function keyIdOf(owner: KeyOwner): KeyId {
  if (owner.kind === 'app') return keyIdOfApp(owner.appId);
  return owner.kind === 'service' ? keyIdOfService(owner.account) : newKeyId();
}
