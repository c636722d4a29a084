import { addEndpoint } from '../../features/webhooks/manage-webhook-endpoints.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { BODY } from '../schemas/inputs.ts';
import { Type } from '../schemas/schema.ts';
import { EndpointOut, SecretOut, TypesIn, UrlIn } from '../schemas/webhook.ts';

const Body = Type.Object({ url: UrlIn, types: Type.Optional(TypesIn) }, { ...BODY, title: 'NewWebhookEndpoint' });

const NewEndpointOut = Type.Object(
  { ...EndpointOut.properties, secret: SecretOut },
  { title: 'AddedWebhookEndpoint', description: 'A new endpoint, with its secret.' },
);

/** POST /v1/webhook-endpoints: adds an endpoint of the app. 201 with Location. */
export function addWebhookEndpointRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
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
  api.post('/webhook-endpoints', route, async (request, reply) => {
    const caller = gate.caller(request);
    const { url, types = null } = request.body;
    const manager = { by: caller, idempotency: readIdempotencyKey(request, caller) };
    const added = await addEndpoint(service, manager, { url, types });
    markReplay(reply, added);
    return reply.code(201).header('location', `/v1/webhook-endpoints/${added.id}`).send(added);
  });
}
