import { EXAMPLES } from '../../base/example-values.ts';
import { redeliverEvent } from '../../features/webhooks/events.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { Type } from '../schemas/schema.ts';

const EventPath = Type.Object({ id: Type.String({ description: "an event's id", examples: [EXAMPLES.eventId] }) });

/** The validator sees a missing body as null. */
const Body = Type.Union(
  [
    Type.Object(
      { endpoint: Type.Optional(Type.String({ description: "an endpoint's id", examples: [EXAMPLES.endpointId] })) },
      { title: 'Redelivery' },
    ),
    Type.Null(),
  ],
  { description: 'empty, or a JSON object' },
);

const RedeliveryOut = Type.Object(
  {
    id: Type.String({ description: "the event's id", examples: [EXAMPLES.eventId] }),
    endpoints: Type.Array(Type.String({ examples: [EXAMPLES.endpointId] }), {
      description: 'the ids of the endpoints that it is sent to',
    }),
  },
  { title: 'Redelivered', description: 'The event and the endpoints that it is sent to again.' },
);

/** POST /v1/events/{id}/redeliver: sends an event again, to one endpoint or to all that receive its type. */
export function redeliverEventRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'webhooks');
  const route = describe(
    gate,
    {
      operationId: 'redeliverEvent',
      tag: 'Events',
      summary: 'Send an event again',
      description: 'Sends it to the given endpoint or, without one, to all endpoints that receive its type.',
      problems: ['not-found'],
      idempotent: true,
    },
    { params: EventPath, body: Body, response: { 200: RedeliveryOut } },
  );
  api.post('/events/:id/redeliver', route, async (request, reply) => {
    const caller = gate.caller(request);
    const endpoint = request.body?.endpoint ?? null;
    const manager = { by: caller, idempotency: readIdempotencyKey(request, caller) };
    const redelivered = await redeliverEvent(service, manager, request.params.id, endpoint);
    markReplay(reply, redelivered);
    return redelivered;
  });
}
