import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CallerIdentity, identifyCaller } from '../base/log.ts';
import { Problem } from '../base/problems.ts';
import type { BucketState } from '../base/token-buckets.ts';
import { keyIdOf } from '../identity/app-keys.ts';
import type { Caller } from '../identity/callers.ts';
import { API_TOKEN } from '../oauth/clients.ts';
import type { Service } from '../service/service.ts';

/**
 * Counts a call before any database query: by its credential if that was valid recently, otherwise by its address. So
 * guessed credentials cause only as many queries as one address may send calls.
 */
export function countCall(service: Service): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const { credentials } = service.rateLimits;
    const key = credentialKey(request);
    if (!credentials || !key || !credentials.has(key)) return countAddress(service, request, reply);
    const state = credentials.take(key);
    // A refused call is not authenticated any more. Its app should see it all the same.
    if (!state.allowed) identifyCaller(credentials.ownerOf(key) ?? {});
    enforce(service.security, reply, 'default', state);
  };
}

/** Authenticates a call, and counts its credential's calls from now on. */
export async function countCredential<C extends Caller>(
  { rateLimits: { credentials, addresses }, security }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  authenticate: () => Promise<C>,
): Promise<C> {
  const key = credentialKey(request);
  const known = key !== undefined && credentials?.has(key);
  let caller: C;
  try {
    caller = await authenticate();
  } catch (error) {
    // Expired or revoked: its next calls count by address again.
    if (key && error instanceof Problem) credentials?.forget(key);
    throw error;
  }
  const identity = identityOf(caller);
  identifyCaller(identity);
  if (credentials && key && !known) {
    addresses?.giveBack(clientAddress(request));
    enforce(security, reply, 'default', credentials.take(key, identity));
  }
  return caller;
}

function identityOf(caller: Caller): CallerIdentity {
  if (caller.kind === 'user') return { appId: caller.appId, userId: caller.userId };
  return { appId: caller.appId, keyId: keyIdOf(caller.keyHash) };
}

/** Whether a call's credential was valid a moment ago. Where calls of credentials are not counted, nobody's is known, and each passes. */
export function isKnownCaller({ credentials }: Service['rateLimits'], request: FastifyRequest): boolean {
  const key = credentialKey(request);
  return !credentials || (key !== undefined && credentials.has(key));
}

/** Asked by machines that would end a process which refuses: whoever shares their address must not use up their calls. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function isProbe({ routeOptions: { url } }: FastifyRequest): boolean {
  return url !== undefined && PROBES.has(url);
}

/**
 * Counts every request against its client's address, whatever becomes of it, but for calls of the API, which {@link countCall} counts. Their
 * preflights have no credential, and are counted apart, as probes are, and as each style and script is: a page needs several of them, and a
 * school has one address.
 */
export function countRequest(service: Pick<Service, 'rateLimits' | 'security'>) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.routeOptions.url ?? '';
    if (request.method === 'OPTIONS') countAddress(service, request, reply, 'preflight ');
    else if (isProbe(request)) countAddress(service, request, reply, 'probe ');
    else if (route.startsWith('/assets/')) countAddress(service, request, reply, `${route} `);
    else if (route === API_TOKEN || !request.url.startsWith('/v1/')) countAddress(service, request, reply);
  };
}

/** `kind`: of what is counted apart. */
function countAddress(
  { rateLimits: { addresses }, security }: Pick<Service, 'rateLimits' | 'security'>,
  request: FastifyRequest,
  reply: FastifyReply,
  kind = '',
): void {
  if (addresses) enforce(security, reply, 'address', addresses.take(kind + clientAddress(request)));
}

/**
 * Sets the rate limit headers (draft-ietf-httpapi-ratelimit-headers-10). Throws `rate-limited` if nothing is left. `policy`:
 * `default` is the limit of the caller's credential.
 */
function enforce(
  security: Service['security'],
  reply: FastifyReply,
  policy: 'default' | 'address',
  state: BucketState,
): void {
  const { allowed, perSecond, remaining, fullAfterSeconds } = state;
  reply.headers({
    'ratelimit-policy': `"${policy}";q=${perSecond};w=1`,
    ratelimit: `"${policy}";r=${remaining};t=${fullAfterSeconds}`,
  });
  if (allowed) return;
  security.note('rate-limited');
  reply.header('retry-after', 1);
  throw new Problem('rate-limited', `More than ${perSecond} calls a second are not allowed. Try again in a second.`);
}

/** The hooks of a request ask several times. */
const keys = new WeakMap<FastifyRequest, string | undefined>();

/** From the secret alone, as a header can be spelled in several ways. Hashed, so that no secret stays in memory. */
function credentialKey(request: FastifyRequest): string | undefined {
  if (keys.has(request)) return keys.get(request);
  const secret = readBearer(request.headers.authorization ?? '');
  const key = secret && hash('sha256', secret, 'base64');
  keys.set(request, key);
  return key;
}

/** The secret of an `Authorization: Bearer …` header (RFC 6750, section 2.1), in any spelling; undefined for other headers. */
export function readBearer(header: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
}

/**
 * The address by which a caller is counted. IPv4 counts whole. IPv6 counts by its first 64 bits, because one subscriber has at
 * least that many addresses (RFC 6177).
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!isIPv6(ip)) return ip;
  // An IPv4 caller on a dual-stack socket.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped ? mapped[1]! : `${firstGroups(ip).join(':')}::/64`;
}

function firstGroups(ip: string): string[] {
  // A URL has the shortest notation, and writes a dotted end as groups.
  const [head = '', tail] = new URL(`http://[${ip.split('%', 1)[0]}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4);
}
