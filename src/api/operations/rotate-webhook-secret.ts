import { rotateEndpointSecret } from '../../features/webhooks/manage-webhook-endpoints.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { Timestamp } from '../schemas/outputs.ts';
import { Type } from '../schemas/schema.ts';
import { EndpointPath, SecretOut } from '../schemas/webhook.ts';

const NewSecretOut = Type.Object(
  { secret: SecretOut, previousUntil: Timestamp },
  { title: 'RotatedSecret', description: 'The new secret, and how long the old secret keeps signing.' },
);

/** POST /v1/webhook-endpoints/{id}/rotate-secret: replaces the secret that signs an endpoint's deliveries. */
export function rotateWebhookSecretRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
    gate,
    {
      operationId: 'rotateWebhookSecret',
      tag: 'Events',
      summary: 'Replace the secret of a webhook endpoint',
      description: 'The old secret keeps working for 24 hours: both secrets sign each delivery.',
      problems: ['not-found'],
      idempotent: true,
    },
    { params: EndpointPath, response: { 200: NewSecretOut } },
  );
  api.post('/webhook-endpoints/:id/rotate-secret', route, async (request, reply) => {
    const caller = gate.caller(request);
    const manager = { by: caller, idempotency: readIdempotencyKey(request, caller) };
    const secret = await rotateEndpointSecret(service, manager, request.params.id);
    markReplay(reply, secret);
    return secret;
  });
}
