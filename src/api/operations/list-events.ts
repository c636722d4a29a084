import { Type } from 'typebox';
import { readEvents, redeliverEvent } from '../../features/webhooks/events.ts';
import type { Service } from '../../settlement/service.ts';
import { withIdempotency } from '../../settlement/with-idempotency.ts';
import { appsOnly } from '../caller.ts';
import { describe } from '../describe/describe.ts';
import { EXAMPLES } from '../describe/examples.ts';
import type { Api } from '../describe/route.ts';
import { markReplay, readIdempotencyKey } from '../idempotency-header.ts';
import { EventTypeShape } from '../schemas/endpoint.ts';
import { Limit, readLimit } from '../schemas/list.ts';

/** The body of a webhook. */
export const WebhookMessage = Type.Object(
  {
    type: EventTypeShape,
    timestamp: Type.String({ examples: ['2026-01-31T12:00:00.000Z'] }),
    data: Type.Object(
      {
        sequence: Type.Integer({
          minimum: 1,
          description: 'the number of this event among those of one request, transfer or guest',
          examples: [2],
        }),
      },
      { additionalProperties: true, description: 'the object that the event is about, as it was then' },
    ),
  },
  { title: 'WebhookMessage', description: 'Something that happened.' },
);

const EventOut = Type.Object(
  { id: Type.String({ examples: [EXAMPLES.eventId] }), ...WebhookMessage.properties },
  { title: 'AppEvent', description: 'The body of a webhook, with the id of the event.' },
);

const EventsOut = Type.Object(
  { data: Type.Array(EventOut), next: Type.Union([Type.String({ examples: [EXAMPLES.eventId] }), Type.Null()]) },
  {
    title: 'EventList',
    description: 'Events, oldest first. `next` is the cursor of the next page, and null on the last page.',
  },
);

const Query = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: 'the id of an event: later events are listed', examples: [EXAMPLES.eventId] }),
  ),
  limit: Limit,
  type: Type.Optional(EventTypeShape),
});

/** The validator sees a missing body as null. */
const Redelivery = Type.Union(
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
    id: Type.String({ examples: [EXAMPLES.eventId] }),
    endpoints: Type.Array(Type.String({ examples: [EXAMPLES.endpointId] })),
  },
  { title: 'Redelivered', description: 'The event and the endpoints that it is sent to again.' },
);

/** GET /v1/events lists an app's events of the last 30 days, POST …/{id}/redeliver sends one again. */
export function events(api: Api, service: Service): void {
  // As with lists: a key that only makes guests must not reveal who pays.
  const readers = appsOnly(service, 'pay');
  const reading = describe(
    readers,
    {
      operationId: 'listEvents',
      tag: 'Events',
      summary: "List the app's events of the last 30 days",
      description:
        'Pass the id of the last event you have as `cursor`, and you miss no event. With `type`, a page may hold fewer than `limit` ' +
        'events, or none, while `next` is not null.',
    },
    { querystring: Query, response: { 200: EventsOut } },
  );
  api.get('/events', reading, async (request) => {
    const { cursor, limit, type } = request.query;
    return readEvents(service, readers.caller(request), { cursor, limit: readLimit(limit), type });
  });

  const gate = appsOnly(service, 'webhooks');
  const redelivering = describe(
    gate,
    {
      operationId: 'redeliverEvent',
      tag: 'Events',
      summary: 'Send an event again',
      description: 'Sends it to the given endpoint or, without one, to all endpoints that receive its type.',
      problems: ['not-found'],
      idempotent: true,
    },
    {
      params: Type.Object({ id: Type.String({ description: "an event's id", examples: [EXAMPLES.eventId] }) }),
      body: Redelivery,
      response: { 200: RedeliveryOut },
    },
  );
  api.post('/events/:id/redeliver', redelivering, async (request, reply) => {
    const caller = gate.caller(request);
    const endpoint = request.body?.endpoint ?? null;
    const redelivered = await withIdempotency(service, readIdempotencyKey(request, caller), (tx) =>
      redeliverEvent(tx, caller.appId, request.params.id, endpoint),
    );
    markReplay(reply, redelivered);
    return redelivered;
  });
}
