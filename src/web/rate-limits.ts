import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Standing } from '../base/limits.ts';
import { Problem } from '../base/problems.ts';
import type { Service } from '../settlement/service.ts';
import { clientAddress } from './client-address.ts';

/** Counts a request against its client's address. Throws `rate-limited`. */
export function countAddress(
  { rateLimits: { addresses }, security }: Pick<Service, 'rateLimits' | 'security'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (addresses) tell(security, reply, 'address', addresses.take(clientAddress(request)));
}

/**
 * Sets the rate limit headers (draft-ietf-httpapi-ratelimit-headers-10). Throws `rate-limited` if nothing is left. `policy`:
 * `default` is the limit of the caller's credential.
 */
export function tell(
  security: Service['security'],
  reply: FastifyReply,
  policy: 'default' | 'address',
  standing: Standing,
): void {
  const { allowed, perSecond, remaining, fullAfterSeconds } = standing;
  reply.headers({
    'ratelimit-policy': `"${policy}";q=${perSecond};w=1`,
    ratelimit: `"${policy}";r=${remaining};t=${fullAfterSeconds}`,
  });
  if (allowed) return;
  security.note('rate-limited');
  reply.header('retry-after', 1);
  throw new Problem('rate-limited', `More than ${perSecond} calls a second are not allowed. Try again in a second.`);
}
