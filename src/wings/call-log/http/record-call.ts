import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CallId, type RequestId, requestIdFrom, UUID_PATTERN } from '../../../base/ids.ts';
import type { RequestContext } from '../../../base/log.ts';
import type { Service } from '../../../service/service.ts';

export type EndedCall = {
  readonly context: RequestContext;
  readonly route: string | undefined;
  /** False if the caller went away first. */
  readonly isComplete: boolean;
  readonly milliseconds: number;
};

const LOGGED = /^\/(v1\/|oauth\/token$)/;
const PAYMENT_IN_PATH = /^\/v1\/requests\/:id(\/|$)/;
const PAYMENT_IN_LOCATION = new RegExp(`/requests/(${UUID_PATTERN.slice(1, -1)})$`);

/**
 * Keeps a call for the developers of the app that made it. Only calls whose app is proved: a stranger must not be able to fill an app's
 * log. It waits for nothing, as it runs between the answers of payments.
 */
export function recordCall(
  { settings, calls }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { context, route, isComplete, milliseconds }: EndedCall,
): void {
  const { appId, code = null, fields = null } = context;
  if (appId === undefined || settings.apiLog === 'off' || route === undefined || !LOGGED.test(route)) return;
  const status = isComplete ? reply.raw.statusCode : null;
  calls.record({ appId, status, code }, () => {
    const { 'idempotency-key': key } = request.headers;
    return {
      id: request.id as CallId,
      milliseconds: Math.round(milliseconds * 10) / 10,
      method: request.method,
      route,
      fields,
      keyId: context.keyId ?? null,
      userId: context.userId ?? null,
      idempotencyKey: typeof key === 'string' ? key : null,
      paymentId: paymentOf(request, reply, route),
    };
  });
}

/** The request that the path names, or that the call has created. Another value there may be a secret in the wrong place. */
function paymentOf({ params }: FastifyRequest, reply: FastifyReply, route: string): RequestId | null {
  if (PAYMENT_IN_PATH.test(route)) {
    return requestIdFrom((params as { id: string }).id);
  }
  const [, created] = PAYMENT_IN_LOCATION.exec(String(reply.getHeader('location') ?? '')) ?? [];
  return created === undefined ? null : requestIdFrom(created);
}
