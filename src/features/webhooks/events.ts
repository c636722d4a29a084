import { type EventId, UUID_PATTERN } from '../../base/ids.ts';
import { invalidInput } from '../../base/problems.ts';
import type { AppCaller } from '../../identity/callers.ts';
import type { Service } from '../../settlement/service.ts';
import type { EventType } from '../../webhooks/event-types.ts';
import { eventJson, listEvents } from '../../webhooks/events.ts';

export type EventsWanted = {
  /** The id of the event after which the page begins. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly type?: EventType | undefined;
};

/**
 * A page of an app's events, oldest first. `next`: where the next page begins; null at the end. A page of one type may
 * be short or even empty without being the last. Throws `invalid-input`.
 */
export async function readEvents({ db }: Pick<Service, 'db'>, { appId }: AppCaller, wanted: EventsWanted) {
  const { cursor, limit, type = null } = wanted;
  const isId = cursor === undefined || new RegExp(UUID_PATTERN).test(cursor);
  const after = (cursor?.toLowerCase() ?? null) as EventId | null;
  const found = isId ? await listEvents(db, appId, after, type, limit + 1) : null;
  if (!found) throw invalidInput('query/cursor', 'must be the id of an event of the last 30 days');
  const { events, lookedUpTo } = found;
  const page = events.slice(0, limit);
  return {
    data: page.map((event) => ({ id: event.id, ...eventJson(event) })),
    next: events.length > limit ? page.at(-1)!.id : lookedUpTo,
  };
}
