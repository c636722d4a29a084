import type { EventEmitter } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest, preSerializationAsyncHookHandler } from 'fastify';
import type { RequestId } from '../base/ids.ts';
import { invalidInput } from '../base/problems.ts';
import { type IdempotencyKey, idempotencyKey } from '../idempotency/keys.ts';
import type { Caller } from '../identity/callers.ts';
import type { Service } from '../service/service.ts';
import { type Progress, readProgress, type WatchRequests, watchRequests } from '../views/requests/watch-requests.ts';

const MAX_KEY_LENGTH = 255;

/**
 * The caller's `Idempotency-Key`, scoped to the credential's owner and the route, with a fingerprint of the body. Undefined
 * without the header. Only hashes are passed on, as the key gives access to a stored response. Throws `invalid-input`.
 */
export function readIdempotencyKey(request: FastifyRequest, caller: Caller): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > MAX_KEY_LENGTH) {
    throw invalidInput('header/idempotency-key', `must be one value of 1 to ${MAX_KEY_LENGTH} characters`);
  }
  const owner = caller.kind === 'app' ? `app ${caller.appId}` : `user ${caller.userId} ${caller.appId}`;
  // In lower case: another spelling of an address or id is the same place.
  const place = JSON.stringify(request.params).toLowerCase();
  const scope = [owner, request.method, request.routeOptions.url ?? '', place];
  return idempotencyKey(scope, key, JSON.stringify(sorted(request.body ?? null)));
}

/** Marks a response that repeats that of an earlier call. */
export function markReplay(reply: FastifyReply, answer: { readonly replayed?: true }): void {
  if (answer.replayed) reply.header('idempotent-replayed', 'true');
}

/** Sorts fields, as their order does not change a body. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}

const MOST_WAIT_SECONDS = 30;

/**
 * Holds the responses of routes with `waits` until the transfer is confirmed, at most as long as the caller prefers (RFC 7240,
 * section 4.3). The response stays the same: only `GET /v1/requests/{id}` shows the status.
 */
export function holdAnswers(app: FastifyInstance, service: Service): void {
  const watch = watchRequests(service);
  const held = new Set<() => void>();
  let stopping = false;

  const hold: preSerializationAsyncHookHandler = async (request, reply, payload) => {
    const seconds = preferredSeconds(request.headers.prefer);
    if (reply.statusCode !== 200 || seconds === 0) return payload;
    reply.header('preference-applied', `wait=${seconds}`);
    // The transfer is committed: a failure to watch it must not change the response.
    const { requestId } = payload as { readonly requestId: RequestId };
    await readProgress(service, [requestId])
      // A transfer that is committed while the service stops is not waited for.
      .then((known) => (stopping ? undefined : untilFinal({ watch, known, seconds, connection: reply.raw, held })))
      .catch(() => {});
    // The stop closes idle connections at its start. This one becomes idle later and would delay it.
    if (stopping) reply.header('connection', 'close');
    return payload;
  };
  app.addHook('onRoute', (route) => {
    if (route.config?.operation?.waits) route.preSerialization = hold;
  });
  // A service that stops sends all held responses.
  app.addHook('preClose', async () => {
    stopping = true;
    for (const end of held) end();
  });
}

type Waiting = {
  readonly watch: WatchRequests;
  readonly known: Progress;
  readonly seconds: number;
  /** A caller who has gone is not waited for. */
  readonly connection: EventEmitter;
  /** Holds the function that ends the wait, as long as it lasts. */
  readonly held: Set<() => void>;
};

/** Resolves when the outcome is final, the time is up, or the caller has gone. */
export async function untilFinal({ watch, known, seconds, connection, held }: Waiting): Promise<void> {
  if (known.final) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, seconds * 1000);
    const unwatch = watch(known, ({ final }) => final && end());
    function end() {
      clearTimeout(timer);
      unwatch();
      connection.off('close', end);
      held.delete(end);
      resolve();
    }
    connection.once('close', end);
    held.add(end);
  });
}

/** The seconds in `Prefer: respond-async, wait=10`; 0 without a readable one, as a preference is never an error. */
export function preferredSeconds(header: string | string[] | undefined): number {
  const preferences = [header ?? []].flat().join(',').split(',');
  const wait = preferences.map((text) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(text)?.[1]).find(Boolean);
  return Math.min(Number(wait ?? 0), MOST_WAIT_SECONDS);
}
