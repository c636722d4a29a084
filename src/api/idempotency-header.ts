import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidInput } from '../base/problems.ts';
import { type IdempotencyKey, idempotencyKey } from '../idempotency/keys.ts';
import type { Caller } from '../identity/callers.ts';

const MAX_LENGTH = 255;

/**
 * The caller's `Idempotency-Key`, scoped to the credential's owner and the route, with a fingerprint of the body. Undefined
 * without the header. Only hashes are passed on, as the key gives access to a stored response. Throws `invalid-input`.
 */
export function readIdempotencyKey(request: FastifyRequest, caller: Caller): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH) {
    throw invalidInput('header/idempotency-key', `must be one value of 1 to ${MAX_LENGTH} characters`);
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
