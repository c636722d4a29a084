import type { Address } from '../../base/address.ts';
import type { AppId, UserId } from '../../base/ids.ts';
import { outsideContext } from '../../base/log.ts';
import { Problem } from '../../base/problems.ts';
import { newSecret } from '../../base/secrets.ts';
import { keyIdOfGuest, userIdOf } from '../../custody/key-ids.ts';
import { type CreatedUser, createGuestKey } from '../../custody/new-keys.ts';
import type { Tx } from '../../db/database.ts';
import { groupCommit, type ItemOutcome } from '../../db/group-commit.ts';
import { type IdempotencyKey, lookUpAnswer } from '../../idempotency/keys.ts';
import { holdLivingApps } from '../../identity/apps.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { deleteOldTokens, storeGuestToken } from '../../identity/guest-tokens.ts';
import { insertGuests } from '../../identity/new-guests.ts';
import { lockGuest } from '../../identity/users.ts';
import { findAccounts, lookUpAccountOfUser, openAccounts } from '../../ledger/accounts.ts';
import { isKeyAlive, nameOfKey, usesOf } from '../../service/keyed-ids.ts';
import { oncePerService } from '../../service/once-per-service.ts';
import type { Service } from '../../service/service.ts';
import { appSuspended } from '../../service/stopped.ts';
import { answerGroup, errorOfGroup, withIdempotency } from '../../service/with-idempotency.ts';
import { nameWhatBelongsTo } from '../restore/name-payments.ts';
import { reviveGuest } from '../restore/revive-guest.ts';

export type NewGuest = {
  readonly userId: UserId;
  readonly address: Address;
  /** Shown only once; only hashes are stored. */
  readonly accessToken: string;
  /** The API's `firebase_token`. */
  readonly pageToken: string;
  readonly replayed?: true;
};

/** The most guests in one transaction. It holds the apps' counts of the day until its COMMIT. */
const MAX_GROUP = 100;

const groupOf = oncePerService((service) =>
  groupCommit<Call, NewGuest>((calls) => outsideContext(() => createGuests(service, calls)), {
    maxGroup: MAX_GROUP,
    // A repeated call finds out by its key. Without one, it creates another guest, which harms nobody.
    uncertainForMs: 0,
    payerOf: ({ appId }) => appId,
  }),
);

/**
 * Creates a guest with its own account, controlled by the app. Guests that are created at the same time share a transaction. With a key, the
 * guest follows from it: if a restored database has lost the call, its repetition gives the same guest, with new tokens.
 */
export async function createGuest(service: Service, caller: AppCaller, key?: IdempotencyKey): Promise<NewGuest> {
  const { appId } = caller;
  const { userId, address, keyId, exists } = await guestOf(service, appId, key);
  if (exists && !(key && (await lookUpAnswer(service.db, key)))) return giveGuestTokens(service, caller, userId, key);
  const pageToken = service.pageTokens.issue(userId);
  const guest = { userId, address, accessToken: newSecret('access token'), pageToken };
  return groupOf(service)
    .submit({ appId, guest, keyId, key })
    .catch((error: unknown) => {
      throw errorOfGroup(error, key);
    });
}

/**
 * `exists`: a restored database knows the guest of this key from the chain, or because its game has named it. The latter needs no payment of
 * theirs, so nothing says whether the database was restored.
 */
async function guestOf(
  service: Service,
  appId: AppId,
  key: IdempotencyKey | undefined,
): Promise<CreatedUser & { readonly exists: boolean }> {
  const { db, vault } = service;
  if (!key) return { ...createGuestKey(vault, appId), exists: false };
  const keyIds = usesOf(key).map((used) => keyIdOfGuest(vault.seed, appId, nameOfKey(service, key, used)));
  const known = await Promise.all(keyIds.map((keyId) => lookUpAccountOfUser(db, userIdOf(vault.seed, keyId, appId))));
  const alive = known.findIndex((account) => account && isKeyAlive(key, account.createdAt));
  return { ...createGuestKey(vault, appId, keyIds[Math.max(alive, 0)]), exists: alive >= 0 };
}

/** A guest that was asked for. */
type Call = {
  readonly appId: AppId;
  readonly guest: NewGuest;
  readonly keyId: Uint8Array;
  readonly key: IdempotencyKey | undefined;
};

/** Creates the guests of a group in one transaction. */
function createGuests(
  { db, vault, settings }: Pick<Service, 'db' | 'vault' | 'settings'>,
  calls: readonly Call[],
): Promise<ItemOutcome<NewGuest>[]> {
  return db.transaction((tx) =>
    answerGroup(tx, vault, calls, (fresh) => insertThem(tx, settings, fresh), { sealed: true }),
  );
}

async function insertThem(
  tx: Tx,
  settings: Service['settings'],
  calls: readonly Call[],
): Promise<ItemOutcome<NewGuest>[]> {
  const { guestsPerDay } = settings;
  const apps = await holdLivingApps(
    tx,
    calls.map(({ appId }) => appId),
  );
  const guests = calls
    .filter(({ appId }) => apps.get(appId)?.suspendedAt === null)
    .map(({ appId, guest }) => ({ appId, ...guest }));
  const inserted = await insertGuests(tx, guests, guestsPerDay);
  const accounts = calls.flatMap(({ guest: { address, userId }, keyId }) =>
    inserted.has(userId) ? [{ address, owner: { kind: 'user', userId } as const, keyId }] : [],
  );
  await openAccounts(tx, accounts);
  return calls.map(({ appId, guest }) => {
    if (inserted.has(guest.userId)) return { ok: true, result: guest };
    if (!apps.has(appId)) return { ok: false, error: new Problem('token-invalid', 'The credential was revoked.') };
    if (apps.get(appId)!.suspendedAt) return { ok: false, error: appSuspended(settings) };
    return { ok: false, error: new Problem('guest-limit', `An app may create ${guestsPerDay} guests a day (UTC).`) };
  });
}

/** With more pairs than this, a game asks at every start instead of once per device. */
const MAX_PAIRS = 20;

/**
 * Issues new tokens for one of the app's guests. Its earlier tokens keep working, the newest 20 pairs of them. A guest whom a restored
 * database does not have exists again. Throws `not-found`, also for a guest that has become a full user, over whom the app has no control.
 */
export async function giveGuestTokens(
  service: Service,
  { appId }: AppCaller,
  userId: UserId,
  idempotency?: IdempotencyKey,
): Promise<NewGuest> {
  const accessToken = newSecret('access token');
  const pageToken = service.pageTokens.issue(userId);
  const give = async (tx: Tx) => {
    // The lock orders this against a concurrent conversion of the guest, which comes first or ends these tokens too.
    const app = (await holdLivingApps(tx, [appId])).get(appId);
    if (app?.suspendedAt) throw appSuspended(service.settings);
    const isOurs = app && ((await lockGuest(tx, userId, appId)) || (await reviveGuest(tx, service, userId, appId)));
    const [account] = isOurs ? await findAccounts(tx, { users: [userId] }) : [];
    if (!account) throw new Problem('not-found', 'There is no such guest of yours.');
    for (const [purpose, secret] of [
      ['access', accessToken],
      ['page', pageToken],
    ] as const) {
      await deleteOldTokens(tx, { userId, appId, purpose, keep: MAX_PAIRS - 1 });
      await storeGuestToken(tx, { secret, purpose, userId, appId });
    }
    return { userId, address: account.address, accessToken, pageToken };
  };
  const given = await withIdempotency(service, idempotency, give, { sealed: true });
  await nameWhatBelongsTo(service, given.address);
  return given;
}
