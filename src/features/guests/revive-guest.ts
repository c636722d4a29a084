import type { AppId, UserId } from '../../base/ids.ts';
import { keyIdOfUser } from '../../custody/key-ids.ts';
import { addressOfKey } from '../../custody/signer.ts';
import type { Tx } from '../../db/database.ts';
import { insertLostGuest } from '../../identity/new-guests.ts';
import { findAccounts, openAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../service/service.ts';

/** Whether an id says that we gave it to a guest of this app. */
export function isGuestOf({ vault }: Pick<Service, 'vault'>, userId: UserId, appId: AppId): boolean {
  return keyIdOfUser(vault.seed, userId, appId) !== null;
}

/**
 * Makes a guest again whom a restored database does not have: whoever shows the id was given it, and it carries the app's mark and what the
 * key is derived from. Nothing but the name is lost. False if the id says nothing, or the user exists.
 */
export async function reviveGuest(
  tx: Tx,
  { vault }: Pick<Service, 'vault'>,
  userId: UserId,
  appId: AppId,
): Promise<boolean> {
  const keyId = keyIdOfUser(vault.seed, userId, appId);
  if (!keyId) return false;
  const address = addressOfKey(vault, keyId);
  const [known] = await findAccounts(tx, { addresses: [address] });
  // Somebody got it from an operator.
  if (known?.mergedInto || !(await insertLostGuest(tx, userId, appId))) return false;
  await openAccount(tx, address, { kind: 'user', userId }, keyId);
  return true;
}
