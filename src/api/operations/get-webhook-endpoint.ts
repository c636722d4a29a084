import { asEndpointId, endpointJson } from '../../features/webhooks/manage-webhook-endpoints.ts';
import type { Service } from '../../service/service.ts';
import { findEndpoint, noSuchEndpoint } from '../../webhooks/webhook-endpoints.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { EndpointOut, EndpointPath } from '../schemas/webhook.ts';

/** GET /v1/webhook-endpoints/{id}: an endpoint of the app. */
export function getWebhookEndpointRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
    gate,
    {
      operationId: 'getWebhookEndpoint',
      tag: 'Events',
      summary: 'Get a webhook endpoint',
      problems: ['not-found'],
    },
    { params: EndpointPath, response: { 200: EndpointOut } },
  );
  api.get('/webhook-endpoints/:id', route, async (request) => {
    const endpoint = await findEndpoint(service.db, asEndpointId(request.params.id));
    if (endpoint?.appId !== gate.caller(request).appId) throw noSuchEndpoint();
    return endpointJson(endpoint);
  });
}
