import { newRequestId, type UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { Caller } from '../../identity/callers.ts';
import { findConsent } from '../../identity/consents.ts';
import { countAsked } from '../../identity/key-caps.ts';
import { lockUser } from '../../identity/users.ts';
import { findAccountOfApp, findAccountOfUser } from '../../ledger/accounts.ts';
import { insertPendingRequest, type RequestView, type TransferRequest } from '../../requests/requests.ts';
import { allowedAmount } from '../../settlement/accept/instruction.ts';
import type { Service } from '../../settlement/service.ts';
import { readAfterwards } from '../../settlement/unknown-outcome.ts';
import { withIdempotency } from '../../settlement/with-idempotency.ts';
import { viewRequest, viewRequests } from './read-requests.ts';

export type RequestInput = {
  /** Quarters, a whole number from 1. */
  readonly tokens: number;
  /** Must be the app the credential belongs to. */
  readonly appId: string;
  /** The user who is asked. A server API key must name them; a user's access token can name only its own user. */
  readonly userId?: UserId | undefined;
  readonly description?: string | null;
  /** Seconds until it expires, from 60 to 86,400; by default the operator's `REQUEST_TTL_SECONDS`. */
  readonly expiresIn?: number;
  readonly idempotency?: IdempotencyKey | undefined;
};

/**
 * An app asks a user for quarters, which creates a pending request. With a server API key it can ask its own guests,
 * and full users who gave it the scope `requests`, up to the key's daily cap; all others are `not-found`.
 *
 * Throws `app-mismatch`, `invalid-input`, `amount-too-large`, `not-found`, `limit-reached` if the user has as many
 * pending requests of the app as allowed, `key-limit`, `token-invalid`, `idempotency-mismatch`.
 */
export async function createRequest(
  service: Service,
  caller: Caller,
  input: RequestInput,
): Promise<RequestView & { readonly replayed?: true }> {
  let made: TransferRequest | undefined;
  const { requestId, ...mark } = await withIdempotency(service, input.idempotency, async (tx) => {
    made = await insert(tx, service, caller, input);
    return { requestId: made.id };
  });
  // A request created just now has no outcome yet.
  if (made && !mark.replayed) return (await viewRequests(service, [made]))[0]!;
  return { ...(await readAfterwards(viewRequest(service, requestId))), ...mark };
}

async function insert(tx: Tx, service: Service, caller: Caller, input: RequestInput): Promise<TransferRequest> {
  const { settings } = service;
  const { appId } = caller;
  if (input.appId !== appId) {
    throw new Problem('app-mismatch', 'The credential belongs to a different app than appId.');
  }
  const amount = allowedAmount(service, input.tokens);
  const userId = askedUser(caller, input.userId);
  const payer = await findAccountOfUser(tx, userId);
  const app = await findAccountOfApp(tx, appId);
  // Locks from here on, in the documented order: app key, user, consent.
  if (caller.kind === 'app') await countAsked(tx, caller.keyHash, amount);
  if (!payer || !app || !(await lockWhoMayBeAsked(tx, caller, userId))) {
    throw new Problem('not-found', 'There is no such user, or the app may not ask them.');
  }
  const request = {
    ...({ id: newRequestId(), appId, userId, source: 'user', from: payer.address, to: app.address, amount } as const),
    description: input.description ?? '',
    ttlSeconds: input.expiresIn ?? settings.requestTtlSeconds,
  };
  const most = settings.maxPendingRequests;
  const stored = await insertPendingRequest(tx, request, most);
  if (!stored) {
    throw new Problem('limit-reached', `At most ${most} requests of an app can wait for the same user's decision.`);
  }
  return stored;
}

function askedUser(caller: Caller, named: UserId | undefined): UserId {
  if (caller.kind === 'user') {
    if (named !== undefined && named !== caller.userId) {
      throw invalidInput('/userId', 'must be the user of the access token, or be left out');
    }
    return caller.userId;
  }
  if (named === undefined) throw invalidInput('/userId', 'is required with a server API key');
  return named;
}

/**
 * Whether the app may ask this user now. The lock makes requests to one user run one after another, which keeps their
 * counts exact, and a concurrent withdrawal comes before or after this request.
 */
async function lockWhoMayBeAsked(tx: Tx, caller: Caller, userId: UserId): Promise<boolean> {
  const user = await lockUser(tx, userId);
  // A user's token already proves that its app may ask.
  if (user === null || caller.kind === 'user') return user !== null;
  if (user.kind === 'guest') return user.guestOf === caller.appId;
  const consent = await findConsent(tx, userId, caller.appId, { settled: true });
  return consent?.scopes.includes('requests') ?? false;
}
