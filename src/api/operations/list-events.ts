import { EXAMPLES } from '../../base/example-values.ts';
import { readEvents } from '../../features/webhooks/events.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { Limit, readLimit } from '../schemas/list.ts';
import { Type } from '../schemas/schema.ts';
import { EventTypeShape, WebhookMessage } from '../schemas/webhook.ts';

const EventOut = Type.Object(
  { id: Type.String({ description: "the event's id", examples: [EXAMPLES.eventId] }), ...WebhookMessage.properties },
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

/** GET /v1/events: the app's events of the last 30 days, oldest first. */
export function listEventsRoute(api: Api, service: Service): void {
  // As with lists: a key that only makes guests must not reveal who pays.
  const gate = appsOnly(service, 'pay');
  const route = describe(
    gate,
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
  api.get('/events', route, async (request) => {
    const { cursor, limit, type } = request.query;
    return readEvents(service, gate.caller(request), { cursor, limit: readLimit(limit), type });
  });
}
