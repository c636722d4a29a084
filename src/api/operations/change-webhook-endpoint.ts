import { changeEndpoint } from '../../features/webhooks/manage-webhook-endpoints.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { BODY } from '../schemas/inputs.ts';
import { Type } from '../schemas/schema.ts';
import { EndpointOut, EndpointPath, TypesIn, UrlIn } from '../schemas/webhook.ts';

const Body = Type.Object(
  {
    url: Type.Optional(UrlIn),
    types: Type.Optional(TypesIn),
    enabled: Type.Optional(Type.Boolean({ description: 'true or false', examples: [true] })),
  },
  { ...BODY, title: 'WebhookEndpointChange' },
);

/** POST /v1/webhook-endpoints/{id}: changes the given fields of an endpoint. */
export function changeWebhookEndpointRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
    gate,
    {
      operationId: 'changeWebhookEndpoint',
      tag: 'Events',
      summary: 'Change a webhook endpoint',
      description:
        'Changes only the fields that are given. When an endpoint is enabled again, its waiting events are sent.',
      problems: ['not-found'],
      idempotent: true,
    },
    { params: EndpointPath, body: Body, response: { 200: EndpointOut } },
  );
  api.post('/webhook-endpoints/:id', route, async (request, reply) => {
    const caller = gate.caller(request);
    const manager = { by: caller, idempotency: readIdempotencyKey(request, caller) };
    const changed = await changeEndpoint(service, manager, request.params.id, request.body);
    markReplay(reply, changed);
    return changed;
  });
}
