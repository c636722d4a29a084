import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/problems.ts';
import type { Service } from '../settlement/service.ts';
import { decorateWithCaller } from './caller.ts';
import { announceDeprecations } from './deprecations.ts';
import { parseJsonBody } from './json-body.ts';
import { autoApproveRequest } from './operations/auto-approve.ts';
import { cancelRequestRoute } from './operations/cancel-request.ts';
import { newGuest } from './operations/create-guest.ts';
import { guestTokens } from './operations/create-guest-tokens.ts';
import { requests } from './operations/create-request.ts';
import { balance } from './operations/get-balance.ts';
import { me } from './operations/get-me.ts';
import { request } from './operations/get-request.ts';
import { rewards } from './operations/get-rewards.ts';
import { oneTransfer } from './operations/get-transfer.ts';
import { keys } from './operations/jwks.ts';
import { accounts } from './operations/list-accounts.ts';
import { events } from './operations/list-events.ts';
import { requestList } from './operations/list-requests.ts';
import { transferList } from './operations/list-transfers.ts';
import { transfer } from './operations/pay-user.ts';
import { transfers } from './operations/pay-users.ts';
import { refund } from './operations/refund-request.ts';
import { webhookEndpoint } from './operations/webhook-endpoint.ts';
import { webhookEndpoints } from './operations/webhook-endpoints.ts';
import { holdAnswers } from './prefer-wait.ts';
import { countCall } from './rate-limits.ts';

const ENDPOINTS = [
  me,
  accounts,
  balance,
  rewards,
  newGuest,
  guestTokens,
  requests,
  requestList,
  request,
  autoApproveRequest,
  cancelRequestRoute,
  refund,
  transfer,
  events,
  webhookEndpoints,
  webhookEndpoint,
  transfers,
  transferList,
  oneTransfer,
  keys,
];

/** Response headers that pages of other origins may read. */
const EXPOSED_HEADERS = [
  'request-id',
  'location',
  'retry-after',
  'www-authenticate',
  'idempotent-replayed',
  'ratelimit',
  'ratelimit-policy',
  'preference-applied',
  'deprecation',
  'sunset',
  'link',
];

/** The JSON API, everything under `/v1`. */
export function api(service: Service) {
  return async (app: FastifyInstance): Promise<void> => {
    // Browser clients are cross-origin and use no cookies: any origin, no credentials.
    await app.register(cors, {
      origin: '*',
      methods: ['GET', 'HEAD', 'POST'],
      allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'prefer'],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 3600,
      strictPreflight: false,
    });
    app.setNotFoundHandler(() => {});
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        // A browser that opens a response saves it under this name and does not render it (OWASP ASVS 4.0, 14.4.2).
        'content-disposition': 'attachment; filename="api.json"',
      });
    });
    announceDeprecations(app);
    // After CORS, which answers preflights and lets browsers read refusals.
    app.addHook('onRequest', countCall(service));
    app.addHook('onRequest', async (request) => {
      // An unknown path is 404, whatever its body: the check is here, before the framework looks at the body's type.
      if (request.is404) throw new Problem('not-found', 'There is no such endpoint.');
    });
    await app.register(async (scope) => {
      scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
        parseJsonBody(body),
      );
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
        refuseUnlessEmpty(body),
      );
      decorateWithCaller(scope);
      holdAnswers(scope, service);
      for (const register of ENDPOINTS) register(scope.withTypeProvider<TypeBoxTypeProvider>(), service);
    });
  };
}

/** An empty body passes with any type: `curl -d ''` sends one. */
function refuseUnlessEmpty(body: Buffer): undefined {
  if (body.length > 0) {
    throw new Problem('unsupported-media-type', 'The body must be JSON, sent as application/json.');
  }
}
