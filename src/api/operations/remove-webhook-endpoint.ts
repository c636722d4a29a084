import { removeEndpoint } from '../../features/webhooks/manage-webhook-endpoints.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { EndpointOut, EndpointPath } from '../schemas/webhook.ts';

/** DELETE /v1/webhook-endpoints/{id}: removes an endpoint and shows it a last time. */
export function removeWebhookEndpointRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
    gate,
    {
      operationId: 'removeWebhookEndpoint',
      tag: 'Events',
      summary: 'Remove a webhook endpoint',
      problems: ['not-found'],
    },
    { params: EndpointPath, response: { 200: EndpointOut } },
  );
  api.delete('/webhook-endpoints/:id', route, async (request) =>
    removeEndpoint(service, { by: gate.caller(request) }, request.params.id),
  );
}
