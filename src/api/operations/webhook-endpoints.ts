import { Type } from 'typebox';
import { addEndpoint, endpointJson } from '../../features/webhooks/endpoints.ts';
import type { Service } from '../../settlement/service.ts';
import { withIdempotency } from '../../settlement/with-idempotency.ts';
import { listEndpoints } from '../../webhooks/endpoints.ts';
import { appsOnly } from '../caller.ts';
import { describe } from '../describe/describe.ts';
import type { Api } from '../describe/route.ts';
import { markReplay, readIdempotencyKey } from '../idempotency-header.ts';
import { EndpointOut, SecretOut, TypesIn, UrlIn } from '../schemas/endpoint.ts';
import { BODY } from '../schemas/inputs.ts';

const Body = Type.Object({ url: UrlIn, types: Type.Optional(TypesIn) }, { ...BODY, title: 'NewWebhookEndpoint' });

const NewEndpointOut = Type.Object(
  { ...EndpointOut.properties, secret: SecretOut },
  { title: 'AddedWebhookEndpoint', description: 'A new endpoint, with its secret.' },
);

const EndpointsOut = Type.Object(
  { data: Type.Array(EndpointOut), next: Type.Null({ examples: [null] }) },
  { title: 'WebhookEndpointList', description: 'All endpoints of an app, at most five, oldest first.' },
);

/** GET /v1/webhook-endpoints lists an app's endpoints, POST adds one. 201 with Location. */
export function webhookEndpoints(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const reading = describe(
    gate,
    { operationId: 'listWebhookEndpoints', tag: 'Events', summary: 'List webhook endpoints' },
    { response: { 200: EndpointsOut } },
  );
  api.get('/webhook-endpoints', reading, async (request) => {
    const found = await listEndpoints(service.db, gate.caller(request).appId);
    return { data: found.map(endpointJson), next: null };
  });

  const adding = describe(
    gate,
    {
      operationId: 'addWebhookEndpoint',
      tag: 'Events',
      summary: 'Add a webhook endpoint',
      description: 'Events are signed as Standard Webhooks describes. Only this response shows the secret.',
      problems: ['limit-reached'],
      idempotent: true,
      location: true,
    },
    { body: Body, response: { 201: NewEndpointOut } },
  );
  api.post('/webhook-endpoints', adding, async (request, reply) => {
    const caller = gate.caller(request);
    const { url, types = null } = request.body;
    const add = (tx: Parameters<typeof addEndpoint>[1]) => addEndpoint(service, tx, caller.appId, { url, types });
    const added = await withIdempotency(service, readIdempotencyKey(request, caller), add, { sealed: true });
    markReplay(reply, added);
    if (!added.replayed) service.security.note('webhook-changed', { what: `add ${added.id}` });
    return reply.code(201).header('location', `/v1/webhook-endpoints/${added.id}`).send(added);
  });
}
