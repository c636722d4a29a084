import { Type } from 'typebox';
import {
  asEndpointId,
  changeEndpoint,
  endpointJson,
  noSuchEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
} from '../../features/webhooks/endpoints.ts';
import type { Service } from '../../settlement/service.ts';
import { withIdempotency } from '../../settlement/with-idempotency.ts';
import { findEndpoint } from '../../webhooks/endpoints.ts';
import { appsOnly } from '../caller.ts';
import { describe } from '../describe/describe.ts';
import type { Api } from '../describe/route.ts';
import { markReplay, readIdempotencyKey } from '../idempotency-header.ts';
import { EndpointOut, EndpointPath, SecretOut, TypesIn, UrlIn } from '../schemas/endpoint.ts';
import { BODY } from '../schemas/inputs.ts';
import { Timestamp } from '../schemas/outputs.ts';

const Change = Type.Object(
  {
    url: Type.Optional(UrlIn),
    types: Type.Optional(TypesIn),
    enabled: Type.Optional(Type.Boolean({ description: 'true or false', examples: [true] })),
  },
  { ...BODY, title: 'WebhookEndpointChange' },
);

const NewSecretOut = Type.Object(
  { secret: SecretOut, previousUntil: Timestamp },
  { title: 'RotatedSecret', description: 'The new secret, and how long the old secret keeps signing.' },
);

/**
 * GET /v1/webhook-endpoints/{id} shows an endpoint, POST changes the given fields, DELETE removes it. POST …/rotate-secret
 * replaces its secret.
 */
export function webhookEndpoint(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const path = '/webhook-endpoints/:id';
  const tag = 'Events' as const;
  const problems = ['not-found'] as const;
  const answers = { params: EndpointPath, response: { 200: EndpointOut } };

  const noteChange = (verb: string, { id, replayed }: { readonly id: string; readonly replayed?: true }) => {
    if (!replayed) service.security.note('webhook-changed', { what: `${verb} ${id}` });
  };

  const reading = { operationId: 'getWebhookEndpoint', tag, summary: 'Get a webhook endpoint', problems };
  api.get(path, describe(gate, reading, answers), async (request) => {
    const endpoint = await findEndpoint(service.db, asEndpointId(request.params.id));
    if (endpoint?.appId !== gate.caller(request).appId) throw noSuchEndpoint();
    return endpointJson(endpoint);
  });

  const changing = {
    operationId: 'changeWebhookEndpoint',
    tag,
    summary: 'Change a webhook endpoint',
    description:
      'Changes only the fields that are given. When an endpoint is enabled again, its waiting events are sent.',
    problems,
    idempotent: true,
  } as const;
  api.post(path, describe(gate, changing, { ...answers, body: Change }), async (request, reply) => {
    const caller = gate.caller(request);
    const changed = await withIdempotency(service, readIdempotencyKey(request, caller), (tx) =>
      changeEndpoint(service, tx, caller.appId, request.params.id, request.body),
    );
    markReplay(reply, changed);
    noteChange('change', changed);
    return changed;
  });

  const removing = { operationId: 'removeWebhookEndpoint', tag, summary: 'Remove a webhook endpoint', problems };
  api.delete(path, describe(gate, removing, answers), async (request) => {
    const removed = await removeEndpoint(service.db, gate.caller(request).appId, request.params.id);
    noteChange('remove', removed);
    return removed;
  });

  const rotating = {
    operationId: 'rotateWebhookSecret',
    tag,
    summary: 'Replace the secret of a webhook endpoint',
    description: 'The old secret keeps working for 24 hours: both secrets sign each delivery.',
    problems,
    idempotent: true,
  } as const;
  const rotated = { params: EndpointPath, response: { 200: NewSecretOut } };
  api.post(`${path}/rotate-secret`, describe(gate, rotating, rotated), async (request, reply) => {
    const caller = gate.caller(request);
    const rotate = (tx: Parameters<typeof rotateEndpointSecret>[1]) =>
      rotateEndpointSecret(service, tx, caller.appId, request.params.id);
    const secret = await withIdempotency(service, readIdempotencyKey(request, caller), rotate, { sealed: true });
    markReplay(reply, secret);
    noteChange('rotate-secret', { ...secret, id: request.params.id });
    return secret;
  });
}
