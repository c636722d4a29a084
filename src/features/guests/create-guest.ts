import type { Address } from '../../base/address.ts';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { newSecret } from '../../base/secrets.ts';
import { createKey } from '../../custody/signer.ts';
import type { Tx } from '../../db/database.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { countGuest, deleteOldTokens, storeGuestToken } from '../../identity/guest-tokens.ts';
import { insertGuest, lockGuest } from '../../identity/users.ts';
import { findAccountOfUser, openAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { withIdempotency } from '../../settlement/with-idempotency.ts';

export type NewGuest = {
  readonly userId: UserId;
  readonly address: Address;
  /** Shown only once; only hashes are stored. */
  readonly accessToken: string;
  /** The API's `firebase_token`. */
  readonly pageToken: string;
  readonly replayed?: true;
};

/** Creates a guest with its own account, controlled by the app. Throws `guest-limit`, `idempotency-mismatch`. */
export async function createGuest(
  service: Service,
  { appId }: AppCaller,
  idempotency?: IdempotencyKey,
): Promise<NewGuest> {
  const { vault, pageTokens, settings } = service;
  const create = async (tx: Tx) => {
    const { address, sealedKey } = createKey(vault);
    const accessToken = newSecret('access token');
    const { id: userId } = await insertGuest(tx, appId);
    const pageToken = await pageTokens.issue(userId);
    await openAccount(tx, address, { kind: 'user', userId }, sealedKey);
    await storeGuestToken(tx, { secret: accessToken, purpose: 'access', userId, appId });
    await storeGuestToken(tx, { secret: pageToken, purpose: 'page', userId, appId });
    // This comes last: all guests of an app on one day share this row, which is then locked only as long as the commit
    // takes.
    if (!(await countGuest(tx, appId, settings.guestsPerDay))) {
      throw new Problem('guest-limit', `An app may create ${settings.guestsPerDay} guests a day (UTC).`);
    }
    return { userId, address, accessToken, pageToken };
  };
  return withIdempotency(service, idempotency, create, { sealed: true });
}

/** With more pairs than this, a game asks at every start instead of once per device. */
const MAX_PAIRS = 20;

/**
 * Issues new tokens for one of the app's guests. Its earlier tokens keep working, the newest 20 pairs of them. Throws
 * `not-found`, also for a guest that has become a full user, over whom the app has no control, and
 * `idempotency-mismatch`.
 */
export async function giveGuestTokens(
  service: Service,
  { appId }: AppCaller,
  userId: UserId,
  idempotency?: IdempotencyKey,
): Promise<NewGuest> {
  const accessToken = newSecret('access token');
  const pageToken = await service.pageTokens.issue(userId);
  const give = async (tx: Tx) => {
    // The lock orders this against a concurrent conversion of the guest, which comes first or ends these tokens too.
    const isOurs = await lockGuest(tx, userId, appId);
    const account = isOurs && (await findAccountOfUser(tx, userId));
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
  return withIdempotency(service, idempotency, give, { sealed: true });
}
