import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CallId, type RequestId, requestIdFrom, UUID_PATTERN } from '../../../base/ids.ts';
import type { TakeCall } from '../../../http/additions.ts';
import { namedIds } from '../../../http/named-ids.ts';
import type { Service } from '../../../service/service.ts';
import { callsWaiting } from '../features/calls-waiting.ts';

const LOGGED = /^\/(v1\/|oauth\/token$)/;
const PAYMENT_IN_PATH = /^\/v1\/requests\/:id(\/|$)/;
const PAYMENT_IN_LOCATION = new RegExp(`/requests/(${UUID_PATTERN.slice(1, -1)})$`);

/**
 * Takes calls when they end, and keeps them for the developers of the app that made them. Only calls whose app is proved: a stranger must
 * not be able to fill an app's log.
 */
export function callRecorder(service: Service): TakeCall {
  if (service.settings.apiLog === 'off') return () => {};
  const waiting = callsWaiting(service);
  return (request, reply, { context, route, isComplete, milliseconds }) => {
    const { appId, code = null, fields = null } = context;
    if (appId === undefined || route === undefined || !LOGGED.test(route)) return;
    const status = isComplete ? reply.raw.statusCode : null;
    waiting.record({ appId, status, code }, () => {
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
        about: namedIds(service, request, status),
      };
    });
  };
}

/** The request that the path names, or that the call has created. Another value there may be a secret in the wrong place. */
function paymentOf({ params }: FastifyRequest, reply: FastifyReply, route: string): RequestId | null {
  if (PAYMENT_IN_PATH.test(route)) {
    return requestIdFrom((params as { id: string }).id);
  }
  const [, created] = PAYMENT_IN_LOCATION.exec(String(reply.getHeader('location') ?? '')) ?? [];
  return created === undefined ? null : requestIdFrom(created);
}
