import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { newSecret } from '../../base/secrets.ts';
import type { Tx } from '../../db/database.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { deleteOldTokens, storeGuestToken } from '../../identity/guest-tokens.ts';
import { lockGuest } from '../../identity/users.ts';
import { findAccountOfUser } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { once } from '../../settlement/with-idempotency.ts';
import type { NewGuest } from './create-guest.ts';

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
  return once(service, idempotency, give, { sealed: true });
}
