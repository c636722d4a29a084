import type { AppId, UserId } from '../../base/ids.ts';
import { outsideContext } from '../../base/log.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { groupCommit, type ItemOutcome } from '../../db/group-commit.ts';
import { type IdempotencyKey, lookUpAnswer } from '../../idempotency/keys.ts';
import { type App, holdLivingApps } from '../../identity/apps.ts';
import type { Caller } from '../../identity/callers.ts';
import { holdConsents } from '../../identity/consents.ts';
import { capKey, type KeyDay, lockKeyDays, storeKeyDays } from '../../identity/key-caps.ts';
import { lockUsers, type OpenUser } from '../../identity/users.ts';
import { lookUpAccountOfApp, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import {
  countPending,
  insertPendingRequests,
  type NewRequest,
  type RequestView,
  type TransferRequest,
} from '../../requests/requests.ts';
import { allowedAmount } from '../../service/instruction.ts';
import { requestIdFor } from '../../service/keyed-ids.ts';
import { tellingRefusals } from '../../service/moments.ts';
import { oncePerService } from '../../service/once-per-service.ts';
import type { Service } from '../../service/service.ts';
import { appSuspended } from '../../service/stopped.ts';
import { readAfterwards } from '../../service/unknown-outcome.ts';
import { answerGroup, errorOfGroup, replayed } from '../../service/with-idempotency.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { viewRequest, viewRequests } from '../../views/requests/read-requests.ts';
import { reviveNamed } from '../restore/revive-named.ts';
import { recoveredRequest } from './recovered-request.ts';

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

/** The most requests in one transaction. It holds the locks of their users until its COMMIT. */
const MAX_GROUP = 100;

const groupOf = oncePerService((service) =>
  groupCommit<Call, Created>((calls) => outsideContext(() => createRequests(service, calls)), {
    maxGroup: MAX_GROUP,
    // A repeated call finds out by its key. Without one, it asks twice, and the player decides each request.
    uncertainForMs: 0,
    payerOf: ({ caller }) => caller.appId,
  }),
);

/**
 * An app asks a user for quarters, which creates a pending request. With a server API key it can ask its own guests, and full users who
 * gave it the scope `requests`, up to the key's daily cap; all others are `not-found`. Requests that are created at the same time share
 * a transaction.
 *
 * Throws `limit-reached` if the user has as many pending requests of the app as allowed.
 */
export async function createRequest(
  service: Service,
  caller: Caller,
  input: RequestInput,
): Promise<RequestView & { readonly replayed?: true }> {
  const { requestId, made, ...mark } = await create(service, caller, input);
  // A request created just now has no outcome yet.
  if (made) return (await viewRequests(service, [made]))[0]!;
  return { ...(await readAfterwards(viewRequest(service, requestId))), ...mark };
}

async function create(service: Service, caller: Caller, input: RequestInput): Promise<Created> {
  const key = input.idempotency;
  const earlier = key && (await lookUpAnswer(service.db, key));
  if (earlier) return replayed<Answer>(service.vault, key, earlier);
  // The request may be one of yesterday that a restore finds paid. Under today's id it would be paid again.
  if (key) refuseInTheDark(service);
  const { appId } = caller;
  const wanted = { kind: 'request', appId, userId: caller.kind === 'user' ? caller.userId : null } as const;
  const request = await tellingRefusals(service, wanted, readRequest(service, caller, input));
  const before = key && (await recoveredRequest(service, key, request));
  if (before) return { requestId: before, replayed: true };
  const created = groupOf(service)
    .submit({ caller, request, key })
    .catch((error: unknown) => {
      throw errorOfGroup(error, key);
    });
  return tellingRefusals(service, { ...wanted, userId: request.userId }, created);
}

type Call = { readonly caller: Caller; readonly request: NewRequest; readonly key: IdempotencyKey | undefined };
type Answer = { readonly requestId: TransferRequest['id'] };
/** `made`: present if it was created by this call. */
type Created = Answer & { readonly made?: TransferRequest; readonly replayed?: true };

/** What the caller asks for, before anything that may change is looked at. */
async function readRequest(service: Service, caller: Caller, input: RequestInput): Promise<NewRequest> {
  const { db, settings } = service;
  const { appId } = caller;
  if (input.appId !== appId) {
    throw new Problem('app-mismatch', 'The credential belongs to a different app than appId.');
  }
  const amount = allowedAmount(service, input.tokens);
  const userId = askedUser(caller, input.userId);
  const [known, app] = await Promise.all([lookUpAccountOfUser(db, userId), lookUpAccountOfApp(db, appId)]);
  const payer = known ?? (caller.kind === 'app' ? await reviveNamed(service, userId, appId) : null);
  if (!payer || !app) throw notAsked();
  return {
    ...({ id: requestIdFor(service, input.idempotency), appId, userId, source: 'user' } as const),
    ...{ from: payer.address, to: app.address, amount },
    description: input.description ?? '',
    ttlSeconds: input.expiresIn ?? settings.requestTtlSeconds,
  };
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

function notAsked(): Problem {
  return new Problem('not-found', 'There is no such user, or the app may not ask them.');
}

async function createRequests(service: Service, calls: readonly Call[]): Promise<ItemOutcome<Created>[]> {
  const made = new Map<string, TransferRequest>();
  const outcomes = await service.db.transaction((tx) =>
    answerGroup(tx, service.vault, calls, async (fresh) => {
      const decisions = await decide(tx, service.settings, fresh);
      const accepted = fresh.flatMap(({ request }, i) => (decisions[i] === null ? [request] : []));
      for (const request of await insertPendingRequests(tx, accepted)) made.set(request.id, request);
      return fresh.map(({ request }, i): ItemOutcome<Answer> => {
        const refusal = decisions[i];
        return refusal ? { ok: false, error: refusal } : { ok: true, result: { requestId: request.id } };
      });
    }),
  );
  return outcomes.map((outcome): ItemOutcome<Created> => {
    const request = outcome.ok && !outcome.result.replayed && made.get(outcome.result.requestId);
    return request ? { ok: true, result: { requestId: request.id, made: request } } : outcome;
  });
}

/**
 * Decides calls one after another: null, or why one is refused. Counts what the accepted ones ask for.
 *
 * The locks, in the documented order of apps, app keys, users and consents, make requests to one user run one after another, which keeps
 * their counts exact. A concurrent withdrawal comes before or after these requests.
 */
async function decide(tx: Tx, settings: Service['settings'], calls: readonly Call[]): Promise<(Problem | null)[]> {
  const mostPending = settings.maxPendingRequests;
  const requests = calls.map(({ request }) => request);
  // One round trip: the database runs them in this order.
  const [living, days, users] = await Promise.all([
    holdLivingApps(
      tx,
      requests.map(({ appId }) => appId),
    ),
    lockKeyDays(
      tx,
      calls.flatMap(({ caller }) => (caller.kind === 'app' ? [caller.keyHash] : [])),
    ),
    lockUsers(
      tx,
      requests.map(({ userId }) => userId),
    ),
  ]);
  const byKey = calls.flatMap(({ caller, request }) => (caller.kind === 'app' ? [request] : []));
  const consents = await holdConsents(
    tx,
    byKey.filter(({ userId }) => users.get(userId)?.kind === 'full'),
    'requests',
  );
  const allowed = new Set(consents.map(pairOf));
  const counts = await countPending(tx, requests, mostPending);
  const pending = new Map(requests.map((request, i) => [pairOf(request), counts[i]!]));
  const counted = new Set<string>();
  const decisions = calls.map(({ caller, request }) => {
    const day = caller.kind === 'app' ? (days.get(capKey(caller.keyHash))?.ask ?? null) : undefined;
    const pair = pairOf(request);
    const refusal =
      refuseEnded(living.get(request.appId), settings) ||
      (day !== undefined && refuseByKey(day, request)) ||
      (mayBeAsked(caller, users.get(request.userId), allowed.has(pair)) ? null : notAsked()) ||
      refuseAbove(mostPending, pending.get(pair)!);
    if (refusal) return refusal;
    pending.set(pair, pending.get(pair)! + 1);
    if (day) day.today = asQuarters(day.today + request.amount);
    if (caller.kind === 'app') counted.add(capKey(caller.keyHash));
    return null;
  });
  await storeKeyDays(
    tx,
    // A refusal changes nothing, and nothing else was counted.
    [...counted].map((key) => ({ ...days.get(key)!, pay: null, approve: null })),
  );
  return decisions;
}

function pairOf({ userId, appId }: { readonly userId: UserId; readonly appId: AppId }): string {
  return `${userId} ${appId}`;
}

/** `app`: undefined if it is deleted. */
function refuseEnded(app: Pick<App, 'suspendedAt'> | undefined, settings: Service['settings']): Problem | null {
  if (!app) return revoked();
  return app.suspendedAt ? appSuspended(settings) : null;
}

/** `day`: null if the key is revoked. Every key that may ask has a cap. */
function refuseByKey(day: KeyDay['ask'], { amount }: NewRequest): Problem | null {
  if (day === null) return revoked();
  if (day.today + amount <= day.perDay) return null;
  return new Problem('key-limit', `This server API key may ask for ${day.perDay} quarters a day (UTC).`);
}

function revoked(): Problem {
  return new Problem('token-invalid', 'The credential was revoked.');
}

function mayBeAsked(caller: Caller, user: OpenUser | undefined, byConsent: boolean): boolean {
  // A user's token already proves that its app may ask.
  if (!user || caller.kind === 'user') return user !== undefined;
  return user.kind === 'guest' ? user.guestOf === caller.appId : byConsent;
}

function refuseAbove(most: number, pending: number): Problem | null {
  if (pending < most) return null;
  return new Problem('limit-reached', `At most ${most} requests of an app can wait for the same user's decision.`);
}
