import type { Address } from '../base/address.ts';
import { type AppId, newAppId, type UserId } from '../base/ids.ts';
import { keyIdOfApp, keyIdOfGuest, keyIdOfService, newKeyId, type ServiceAccount, userIdOf } from './key-ids.ts';
import type { KeyId } from './seed.ts';
import { addressOfKey } from './signer.ts';
import type { Vault } from './vault.ts';

/** A key that belongs to nobody yet. Ids carry what keys are derived from, so both are made together. */
export type CreatedKey = { readonly address: Address; readonly keyId: KeyId };

type Seeded = Pick<Vault, 'seed'>;

/** A user's id and key. */
export type CreatedUser = CreatedKey & { readonly userId: UserId };

/** The id and the key of somebody who signs up. */
export function createUserKey(vault: Seeded): CreatedUser {
  return userOf(vault, newKeyId(), null);
}

/** The id and the key of a new guest of an app. `keyId`: if it follows from the key of a call. */
export function createGuestKey(
  vault: Seeded,
  appId: AppId,
  keyId = keyIdOfGuest(vault.seed, appId, null),
): CreatedUser {
  return userOf(vault, keyId, appId);
}

function userOf(vault: Seeded, keyId: KeyId, appId: AppId | null): CreatedUser {
  return { userId: userIdOf(vault.seed, keyId, appId), address: addressOfKey(vault, keyId), keyId };
}

/** The id and the key of a new app. `appId`: of one that is lost; it has the key that it had. */
export function createAppKey(vault: Seeded, appId = newAppId()): CreatedKey & { readonly appId: AppId } {
  const keyId = keyIdOfApp(appId);
  return { appId, address: addressOfKey(vault, keyId), keyId };
}

/** The key of one of the service's own accounts, always the same. */
export function createServiceKey(vault: Seeded, account: ServiceAccount): CreatedKey {
  const keyId = keyIdOfService(account);
  return { address: addressOfKey(vault, keyId), keyId };
}
