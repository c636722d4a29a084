import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { Problem } from '../base/problems.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Service } from '../usecases/service.ts';
import { clientAddress } from '../web/client-address.ts';
import { countAddress, tell } from '../web/rate-limits.ts';
import { readBearer } from './bearer.ts';

/**
 * Counts a call before anything is asked of the database: by its credential, where that was found good lately, else by its
 * address. So guessing credentials costs us a look-up each only as often as one address may call.
 */
export function countCall(service: Service): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { credentials } = service.rateLimits;
    const key = credentialKey(request);
    if (credentials && key && credentials.has(key)) tell(service.security, reply, 'default', credentials.take(key));
    else countAddress(service, request, reply);
  };
}

/** Finds out whose credential a call carries, and counts it by that from now on. Throws `rate-limited`, and as `authenticate`. */
export async function countCredential<C>(
  { rateLimits: { credentials, addresses }, security }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  authenticate: () => Promise<C>,
): Promise<C> {
  const key = credentialKey(request);
  if (!credentials || !key) return authenticate();
  const known = credentials.has(key);
  let caller: C;
  try {
    caller = await authenticate();
  } catch (error) {
    // Expired or revoked: what it asks next counts by its address again.
    if (error instanceof Problem) credentials.forget(key);
    throw error;
  }
  if (!known) {
    addresses?.giveBack(clientAddress(request));
    tell(security, reply, 'default', credentials.take(key));
  }
  return caller;
}

/** Of the secret alone: each spelling of the header would else count anew. No secret stays in memory for it. */
function credentialKey({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const secret = readBearer(authorization);
  return secret && hashSecret(secret).toString('base64');
}
