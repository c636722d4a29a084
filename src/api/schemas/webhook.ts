import { EXAMPLES } from '../../base/example-values.ts';
import { EVENT_TYPES, type EventType } from '../../webhooks/event-types.ts';
import type { DisabledReason } from '../../webhooks/webhook-endpoints.ts';
import { Timestamp } from './outputs.ts';
import { Type } from './schema.ts';

export const EventTypeShape = Type.Unsafe<EventType>({
  type: 'string',
  enum: EVENT_TYPES,
  description: `one of ${EVENT_TYPES.join(', ')}`,
  examples: ['request.completed'],
});

/** The body of a webhook. */
export const WebhookMessage = Type.Object(
  {
    type: EventTypeShape,
    timestamp: Type.String({ description: 'when it happened (ISO 8601, UTC)', examples: ['2026-01-31T12:00:00.000Z'] }),
    data: Type.Object(
      {
        sequence: Type.Integer({
          minimum: 1,
          description: 'the number of this event among those of one request, transfer or guest',
          examples: [2],
        }),
        test: Type.Optional(
          Type.Literal(true, { description: 'present in a test event, which is about something that does not exist' }),
        ),
      },
      { additionalProperties: true, description: 'the object that the event is about, as it was then' },
    ),
  },
  { title: 'WebhookMessage', description: 'Something that happened.' },
);

export const UrlIn = Type.String({
  maxLength: 2000,
  description: 'an https:// address of the public internet',
  examples: ['https://game.example/quarters'],
});

export const TypesIn = Type.Union(
  [Type.Array(EventTypeShape, { minItems: 1, maxItems: 50, uniqueItems: true }), Type.Null()],
  {
    description: 'a list of event types; null for all, including future ones',
    examples: [['request.completed', 'request.reorged']],
  },
);

/** A path that holds an endpoint's id. */
export const EndpointPath = Type.Object({
  id: Type.String({ description: "an endpoint's id, a UUID", examples: [EXAMPLES.endpointId] }),
});

export const EndpointOut = Type.Object(
  {
    id: Type.String({ description: "the endpoint's id, a UUID", examples: [EXAMPLES.endpointId] }),
    url: Type.String({ description: 'where events are sent', examples: ['https://game.example/quarters'] }),
    types: Type.Union([Type.Array(EventTypeShape), Type.Null()], {
      description: 'null: all types, including future ones',
    }),
    enabled: Type.Boolean({ description: 'whether events are sent to it', examples: [true] }),
    disabledReason: Type.Union(
      [Type.Unsafe<DisabledReason>({ type: 'string', enum: ['owner', 'gone', 'failing'] }), Type.Null()],
      {
        description: 'owner: disabled by its owner; gone: it answered 410; failing: it failed for three days',
        examples: [null],
      },
    ),
    failingSince: Type.Union([Timestamp, Type.Null()], {
      description: 'null: the last delivery succeeded',
      examples: [null],
    }),
    created: Timestamp,
  },
  { title: 'WebhookEndpoint', description: 'An address that events are sent to.' },
);

/** Shown only once. */
export const SecretOut = Type.String({
  description: 'signs each delivery; shown only once',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
});
