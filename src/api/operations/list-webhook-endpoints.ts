import { endpointJson } from '../../features/webhooks/manage-webhook-endpoints.ts';
import type { Service } from '../../service/service.ts';
import { listEndpoints } from '../../webhooks/webhook-endpoints.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { Type } from '../schemas/schema.ts';
import { EndpointOut } from '../schemas/webhook.ts';

const EndpointsOut = Type.Object(
  { data: Type.Array(EndpointOut), next: Type.Null({ examples: [null] }) },
  { title: 'WebhookEndpointList', description: 'All endpoints of an app, at most five, oldest first.' },
);

/** GET /v1/webhook-endpoints: the app's endpoints. */
export function listWebhookEndpointsRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
    gate,
    { operationId: 'listWebhookEndpoints', tag: 'Events', summary: 'List webhook endpoints' },
    { response: { 200: EndpointsOut } },
  );
  api.get('/webhook-endpoints', route, async (request) => {
    const found = await listEndpoints(service.db, gate.caller(request).appId);
    return { data: found.map(endpointJson), next: null };
  });
}
