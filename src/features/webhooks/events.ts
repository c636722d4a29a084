import { eventIdFrom } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { AppCaller } from '../../identity/callers.ts';
import type { Service } from '../../service/service.ts';
import { withData } from '../../views/webhooks/event-data.ts';
import { redeliver } from '../../webhooks/deliveries.ts';
import type { EventType } from '../../webhooks/event-types.ts';
import { eventJson, findEvent, listEvents } from '../../webhooks/events.ts';
import { redeliveryNote } from '../../webhooks/redeliveries.ts';
import { changeWebhooks, type WebhookManager } from './change-webhooks.ts';
import { asEndpointId, noEnabledEndpoint } from './manage-webhook-endpoints.ts';

export type EventsWanted = {
  /** The id of the event after which the page begins. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly type?: EventType | undefined;
};

/**
 * A page of an app's events, oldest first. `next`: where the next page begins; null at the end. A page of one type may
 * be short or even empty without being the last.
 */
export async function readEvents({ db }: Pick<Service, 'db'>, { appId }: AppCaller, wanted: EventsWanted) {
  const { cursor, limit, type = null } = wanted;
  const after = cursor === undefined ? null : eventIdFrom(cursor);
  const isPlace = cursor === undefined || after !== null;
  const found = isPlace ? await listEvents(db, appId, after, type, limit + 1) : null;
  if (!found) throw invalidInput('query/cursor', 'must be the id of an event of the last 30 days');
  const { events, lookedUpTo } = found;
  const page = await withData(db, events.slice(0, limit));
  return {
    data: page.map((event) => ({ id: event.id, ...eventJson(event) })),
    next: events.length > limit ? page.at(-1)!.id : lookedUpTo,
  };
}

/**
 * Sends one of an app's events again: to one endpoint, or to all that want its type and to those who listen. Returns the endpoints. Throws
 * `not-found`, also for a disabled endpoint.
 */
export async function redeliverEvent(
  service: Pick<Service, 'db' | 'vault' | 'security'>,
  manager: WebhookManager,
  id: string,
  endpoint: string | null,
) {
  const sent = await changeWebhooks(service, manager, async (tx, appId) => {
    const eventId = eventIdFrom(id);
    const event = eventId && (await findEvent(tx, eventId));
    if (event?.appId !== appId)
      throw new Problem('not-found', 'There is no such event, or it is more than 30 days old.');
    const endpoints = await redeliver(tx, event, endpoint === null ? null : asEndpointId(endpoint));
    if (endpoint !== null && endpoints.length === 0) throw noEnabledEndpoint();
    return { id: event.id, endpoints };
  });
  // Listening is for development: a note that is lost fails nothing.
  if (endpoint === null) await service.db.sendNotes([redeliveryNote(sent.id)]).catch(() => {});
  return sent;
}
