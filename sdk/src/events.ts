import type { RequestState, WebhookMessage as Untold } from './api.generated.ts';

/** What an event may be about. A service that is newer than this library may send further types: answer those with 2xx. */
export type EventType = Untold['type'];

type OfGuest = { readonly userId: string; readonly appId: string };

/** What `data` of an event holds besides `sequence` and `test`, by the event's type. */
type About<T extends EventType> = T extends 'guest.converted'
  ? OfGuest & { readonly converted: RequestState['created'] }
  : T extends 'guest.merged'
    ? OfGuest & { readonly mergedInto: string; readonly merged: RequestState['created'] }
    : T extends `request.${string}` | `transfer.${string}`
      ? RequestState
      : Readonly<Record<string, unknown>>;

type Sequence = Pick<Untold['data'], 'sequence' | 'test'>;

type Message<T extends EventType> = {
  readonly type: T;
  readonly timestamp: string;
  /** The object that the event is about, as it was then. */
  readonly data: About<T> & Sequence;
};

/** The body of a webhook. `type` says what `data` holds. */
export type WebhookMessage = { [T in EventType]: Message<T> }[EventType];

/** The body of a webhook, with the id of the event. */
export type AppEvent = { [T in EventType]: Message<T> & { readonly id: string } }[EventType];
