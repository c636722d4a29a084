import { type EndpointId, type EventId, eventIdFrom, madeAt, type RequestId, uuidFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { lookUpRequest } from '../../requests/requests.ts';
import { type AppManager, appFor, type Developer, type ManagedApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import {
  countRecentDeliveries,
  type DeliveriesWanted,
  type Delivery,
  type DeliveryPage,
  deliveriesOfEvent,
  listDeliveries,
  type RecentDeliveries,
} from '../../webhooks/delivery-list.ts';
import { type EventSearch, findEventsAbout, searchEvents } from '../../webhooks/event-search.ts';
import { type AppEvent, findEvent, type StoredEvent } from '../../webhooks/events.ts';
import { type Endpoint, listEndpoints, noSuchEndpoint } from '../../webhooks/webhook-endpoints.ts';
import { withData } from './event-data.ts';

// What the console shows. Each of these throws `not-found` for what the developer may not read.

const PAGE = 25;

export type ShownEndpoint = Endpoint & { readonly recent: RecentDeliveries };

export type OwnWebhooks = {
  readonly app: ManagedApp;
  /** Oldest first. */
  readonly endpoints: readonly ShownEndpoint[];
};

const NONE: RecentDeliveries = { total: 0, delivered: 0, pending: 0, failed: 0 };

/** An app's endpoints, with what became of the last day's deliveries. */
export async function showWebhooks(
  { db, reads }: Pick<Service, 'db' | 'reads'>,
  caller: AppManager,
  appId: string,
): Promise<OwnWebhooks> {
  const app = await appFor({ db }, caller, appId, 'read');
  const endpoints = await listEndpoints(reads, app.id);
  const recent = await countRecentDeliveries(
    reads,
    endpoints.map(({ id }) => id),
  );
  return { app, endpoints: endpoints.map((endpoint) => ({ ...endpoint, recent: recent.get(endpoint.id) ?? NONE })) };
}

export type OwnEndpoint = { readonly app: ManagedApp; readonly endpoint: ShownEndpoint; readonly page: DeliveryPage };

/** One endpoint with a page of its deliveries. `id` may be unchecked. */
export async function showEndpoint(
  { db, reads }: Pick<Service, 'db' | 'reads'>,
  developer: Developer,
  appId: string,
  id: string,
  wanted: DeliveriesWanted,
): Promise<OwnEndpoint> {
  const { app, endpoints } = await showWebhooks({ db, reads }, developer, appId);
  const endpoint = endpoints.find((one) => one.id === id.toLowerCase());
  if (!endpoint) throw noSuchEndpoint();
  return { app, endpoint, page: await listDeliveries(reads, endpoint.id, wanted, PAGE) };
}

export type EventsShown = {
  readonly app: ManagedApp;
  readonly events: readonly StoredEvent[];
  /** The event before which the next page begins. Null at the end. */
  readonly next: EventId | null;
};

/** A page of an app's events, newest first; with `requestId`, those about one request. */
export async function showEvents(
  { db, reads }: Pick<Service, 'db' | 'reads'>,
  developer: Developer,
  appId: string,
  wanted: EventSearch & { readonly requestId: string | null },
): Promise<EventsShown> {
  const app = await appFor({ db }, developer, appId, 'read');
  const { requestId, ...search } = wanted;
  if (requestId === null) {
    const { events, lookedUpTo } = await searchEvents(reads, app.id, search, PAGE);
    return { app, events, next: lookedUpTo };
  }
  const id = uuidFrom(requestId);
  const events = id ? await findEventsAbout(reads, app.id, { id, madeAt: await whenMade({ reads }, id) }) : [];
  return { app, events: events.filter(({ type }) => search.type === null || type === search.type), next: null };
}

/** When a request was made. Test events are about requests that were never made, whose ids say when the event was. */
async function whenMade({ reads }: Pick<Service, 'reads'>, id: string): Promise<Date> {
  return (await lookUpRequest(reads, id as RequestId))?.createdAt ?? madeAt(id);
}

export type OwnEvent = {
  readonly app: ManagedApp;
  readonly event: AppEvent & Pick<StoredEvent, 'requestId'>;
  /** Where it was sent; null: to an endpoint that was removed. */
  readonly deliveries: readonly (Delivery & { readonly endpoint: Endpoint | null })[];
  /** The app's endpoints, oldest first. */
  readonly endpoints: readonly Endpoint[];
};

/** One event and its deliveries. `id` may be unchecked. */
export async function showEvent(
  { db, reads }: Pick<Service, 'db' | 'reads'>,
  developer: Developer,
  appId: string,
  id: string,
): Promise<OwnEvent> {
  const app = await appFor({ db }, developer, appId, 'read');
  const eventId = eventIdFrom(id);
  const stored = eventId && (await findEvent(reads, eventId));
  if (stored?.appId !== app.id)
    throw new Problem('not-found', 'There is no such event, or it is more than 30 days old.');
  const [[event], deliveries, endpoints] = await Promise.all([
    withData(reads, [stored]),
    deliveriesOfEvent(reads, stored.id),
    listEndpoints(reads, app.id),
  ]);
  const byId = new Map<EndpointId, Endpoint>(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return {
    app,
    event: { ...event!, requestId: stored.requestId },
    deliveries: deliveries.map((delivery) => ({ ...delivery, endpoint: byId.get(delivery.endpointId) ?? null })),
    endpoints,
  };
}
