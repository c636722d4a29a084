import type { AppId, UserId } from '../../base/ids.ts';
import { keyIdOfUser } from '../../custody/key-ids.ts';
import { addressOfKey } from '../../custody/signer.ts';
import type { Tx } from '../../db/database.ts';
import { holdLivingApps } from '../../identity/apps.ts';
import { insertLostGuests } from '../../identity/new-guests.ts';
import { findAccounts, openAccounts } from '../../ledger/accounts.ts';
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
  service: Pick<Service, 'vault'>,
  userId: UserId,
  appId: AppId,
): Promise<boolean> {
  return (await reviveGuests(tx, service, [{ userId, appId }])) > 0;
}

/** A guest of an app, who is not known. */
export type LostGuest = { readonly userId: UserId; readonly appId: AppId };

/** The same for many. Returns how many exist again. */
export async function reviveGuests(
  tx: Tx,
  { vault }: Pick<Service, 'vault'>,
  lost: readonly LostGuest[],
): Promise<number> {
  const living = await holdLivingApps(
    tx,
    lost.map(({ appId }) => appId),
  );
  const guests = lost.flatMap(({ userId, appId }) => {
    const keyId = living.has(appId) ? keyIdOfUser(vault.seed, userId, appId) : null;
    return keyId ? [{ userId, appId, keyId, address: addressOfKey(vault, keyId) }] : [];
  });
  const known = await findAccounts(tx, { addresses: guests.map(({ address }) => address) });
  // Somebody got these from an operator.
  const merged = new Set(known.flatMap(({ address, mergedInto }) => (mergedInto ? [address] : [])));
  const inserted = await insertLostGuests(
    tx,
    guests.filter(({ address }) => !merged.has(address)),
  );
  const accounts = guests.filter(({ userId }) => inserted.has(userId));
  await openAccounts(
    tx,
    accounts.map(({ userId, address, keyId }) => ({ address, owner: { kind: 'user', userId } as const, keyId })),
  );
  return accounts.length;
}
