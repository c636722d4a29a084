import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { Problem } from '../base/problems.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Service } from '../settlement/service.ts';
import { clientAddress } from '../web/client-address.ts';
import { countAddress, tell } from '../web/rate-limits.ts';

/** The secret of an `Authorization: Bearer …` header (RFC 6750, section 2.1), in any spelling; undefined for other headers. */
export function readBearer(header: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
}

/**
 * Counts a call before any database query: by its credential if that was valid recently, otherwise by its address. So
 * guessed credentials cause only as many queries as one address may send calls.
 */
export function countCall(service: Service): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { credentials } = service.rateLimits;
    const key = credentialKey(request);
    if (credentials && key && credentials.has(key)) tell(service.security, reply, 'default', credentials.take(key));
    else countAddress(service, request, reply);
  };
}

/** Authenticates a call and counts its credential's calls from now on. Throws `rate-limited`, and what `authenticate` throws. */
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
    // Expired or revoked: its next calls count by address again.
    if (error instanceof Problem) credentials.forget(key);
    throw error;
  }
  if (!known) {
    addresses?.giveBack(clientAddress(request));
    tell(security, reply, 'default', credentials.take(key));
  }
  return caller;
}

/** From the secret alone, as a header can be spelled in several ways. Hashed, so that no secret stays in memory. */
function credentialKey({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const secret = readBearer(authorization);
  return secret && hashSecret(secret).toString('base64');
}
