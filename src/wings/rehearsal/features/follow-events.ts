import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppId, EventId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import type { Database } from '../../../db/database.ts';
import type { Service } from '../../../service/service.ts';
import { withData } from '../../../views/webhooks/event-data.ts';
import { openConnections } from '../../../webhooks/connections.ts';
import type { EventType } from '../../../webhooks/event-types.ts';
import { type AppEvent, eventBefore, eventJson, findEvents, listEvents } from '../../../webhooks/events.ts';
import { type Sent, send, signedHeaders, webhookSecretOf } from '../../../webhooks/send.ts';

const MOST_AT_ONCE = 100;
const TIMEOUT_MS = 10_000;
/** Seconds before an event is sent again because nothing answers. A server that restarts is back by then. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000] as const;

/** The secret that signs what `quarters listen` forwards. It is the same each time, and that of no endpoint. */
export function listenSecret({ vault }: Pick<Service, 'vault'>, appId: AppId): string {
  return webhookSecretOf(vault.mac('listen', appId));
}

/** `now`: what happens from now on. `oldest`: all that are kept. An id: this event and all later ones. */
export type FollowFrom = 'now' | 'oldest' | EventId;

/** The cursor with which {@link nextEvents} begins there. Throws `not-found` if the app has no such event any more. */
export async function cursorAt(db: Database, appId: AppId, from: FollowFrom): Promise<EventId | null> {
  if (from === 'oldest') return null;
  const cursor = await eventBefore(db, appId, from === 'now' ? null : from);
  if (cursor !== undefined) return cursor;
  throw new Problem('not-found', 'This app has no such event, or it is more than 30 days old.');
}

export type NextEvents = {
  /** In the order of `GET /v1/events`. */
  readonly events: readonly AppEvent[];
  /** Where to continue once these are dealt with. */
  readonly cursor: EventId | null;
  /** There are no more at the moment. */
  readonly isEnd: boolean;
};

/** An app's next events of these types (null: of all). Who continues with each cursor misses none. */
export async function nextEvents(
  db: Database,
  appId: AppId,
  cursor: EventId | null,
  types: readonly EventType[] | null,
): Promise<NextEvents> {
  const page =
    (await listEvents(db, appId, cursor, null, MOST_AT_ONCE)) ??
    // The cursor's event was forgotten, after 30 days without another. So all there are now are later ones.
    (await listEvents(db, appId, null, null, MOST_AT_ONCE));
  const stored = page?.events ?? [];
  const events = await withData(
    db,
    stored.filter(({ type }) => types === null || types.includes(type)),
  );
  return { events, cursor: stored.at(-1)?.id ?? cursor, isEnd: stored.length < MOST_AT_ONCE };
}

/** Those of these events that are the app's, of these types (null: all). */
export async function eventsAgain(
  db: Database,
  appId: AppId,
  ids: readonly EventId[],
  types: readonly EventType[] | null,
): Promise<AppEvent[]> {
  if (ids.length === 0) return [];
  const found = [...(await findEvents(db, ids)).values()];
  return withData(
    db,
    found.filter((event) => event.appId === appId && (types === null || types.includes(event.type))),
  );
}

/** What became of an event that was forwarded. `milliseconds`: of the last attempt. */
export type Forwarded = Sent & { readonly attempts: number; readonly milliseconds: number };

export type Forwarding = {
  readonly url: string;
  readonly lookup: LookupFunction;
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Called when nothing answers, before the first pause. */
  onUnreachable(): void;
};

/**
 * Sends an event as an endpoint would get it, but to the developer's own machine. If nothing answers there it is tried again, four times
 * in 15 seconds; any answer counts. Null if it was aborted.
 */
export async function forwardEvent(event: AppEvent, forwarding: Forwarding): Promise<Forwarded | null> {
  const { url, lookup, secret, signal } = forwarding;
  const body = JSON.stringify(eventJson(event));
  for (let attempts = 1; ; attempts++) {
    const began = performance.now();
    const headers = signedHeaders(event.id, new Date(), body, [secret]);
    const connections = openConnections(lookup);
    const sent = await send(
      { url, headers, body },
      { connections, privateTargets: true, timeoutMs: TIMEOUT_MS, signal },
    );
    connections.close();
    const pause = PAUSES_MS[attempts - 1];
    if (signal.aborted) return null;
    if (sent.ok || sent.fault !== 'unreachable' || pause === undefined) {
      return { ...sent, attempts, milliseconds: Math.round(performance.now() - began) };
    }
    if (attempts === 1) forwarding.onUnreachable();
    await delay(pause, undefined, { signal }).catch(() => {});
    if (signal.aborted) return null;
  }
}
