import type { Hash } from '../base/hex.ts';
import { type AppId, type EventId, HIGHEST_ID, LOWEST_ID, lowestIdAt, type RequestId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { hashColumn } from '../db/columns.ts';
import { CONFIRMED } from '../db/commits.ts';
import { jsonRows, type Queries, type Tx } from '../db/database.ts';
import type { KeptRows } from '../db/keep-until.ts';
import type { EventType } from './event-types.ts';

type EventHead = {
  readonly id: EventId;
  readonly appId: AppId;
  readonly type: EventType;
  /** Counts the events of one request, transfer or guest, from 1 without gaps. */
  readonly sequence: number;
};

/** What an event is about: a request, with what was true of it at that moment and may change, or an object given as it was (JSON). */
export type EventSubject =
  | { readonly requestId: RequestId; readonly txHash: Hash | null; readonly refunded: Quarters }
  | { readonly data: object };

export type NewEvent = EventHead & { readonly subject: EventSubject };

/** An event as it is stored: it either names its request or has `data`. */
export type StoredEvent = EventHead & {
  readonly requestId: RequestId | null;
  readonly txHash: Hash | null;
  readonly refunded: Quarters;
  readonly data: object | null;
  readonly createdAt: Date;
};

/** An event that an app is notified of. `data`: the state of its subject at that moment (JSON). */
export type AppEvent = EventHead & { readonly data: object; readonly createdAt: Date };

/** The columns of a {@link StoredEvent}. */
export const EVENT_COLUMNS = `events.id, events.app_id AS "appId", type, sequence, request_id AS "requestId",
  ${hashColumn('tx_hash')} AS "txHash", coalesce(refunded, 0) AS refunded, data, events.created_at AS "createdAt"`;

/** The event as it is sent to endpoints and listed by the API. */
export function eventJson({ type, sequence, data, createdAt }: AppEvent) {
  return { type, timestamp: createdAt.toISOString(), data: { ...data, sequence } };
}

const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;

/**
 * $1: the events, from {@link jsonRows}. Not jsonb: the fields of `data` would lose their order.
 *
 * A position is the number of the transaction. One that began earlier may change a request later, so a further event of a subject has
 * at least the number of the newest transaction that has ended. Events with one position are read by their ids, which follow the clock, and
 * within a process the order in which they were made.
 */
const INSERT = `INSERT INTO events (id, app_id, type, sequence, request_id, tx_hash, refunded, data, position, created_at)
  SELECT id, "appId", type, sequence, "requestId", decode(substr("txHash", 3), 'hex'), nullif(refunded, 0), data,
         lead + CASE sequence WHEN 1 THEN own ELSE greatest(own, ended) END, now()
    FROM event_clock,
         (SELECT pg_current_xact_id()::text::bigint AS own, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1 AS ended) AS numbers,
         json_to_recordset($1)
           AS new (id uuid, "appId" text, type text, sequence int, "requestId" uuid, "txHash" text, refunded bigint, data json)`;

const rowsOf = (events: readonly NewEvent[]) =>
  jsonRows(events.map(({ subject, ...event }) => ({ ...event, ...subject })));

/**
 * Stores events, in the transaction of the change they describe and with its time, and a delivery of each to every endpoint that wants it.
 * One statement, which waits for no lock.
 */
export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const wanted = await tx.query(
    `WITH stored AS (
       ${INSERT}
       RETURNING id, app_id, type
     ), wanted AS (
       INSERT INTO deliveries (event_id, endpoint_id)
       SELECT stored.id, endpoint.id FROM stored JOIN webhook_endpoints AS endpoint USING (app_id)
        WHERE disabled_at IS NULL AND (types IS NULL OR type = ANY(types))
       RETURNING event_id
     )
     SELECT FROM wanted LIMIT 1`,
    [rowsOf(events)],
  );
  if (wanted.length > 0) tx.announce('deliveries');
}

/** Stores an event that no endpoint gets by itself. */
export async function insertUndelivered({ query }: Tx, event: NewEvent): Promise<void> {
  await query(INSERT, [rowsOf([event])]);
}

// All transactions below xmin have ended, and this one sees what they wrote. Every other one has a higher number.
/** The condition for the events of the app $1 after the position $2 and id $3 before which none will appear. */
export const SETTLED_AFTER = `app_id = $1 AND (position, id) > ($2, $3)
  AND position < (SELECT lead + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM event_clock)`;

/** How many events one page reads. The page has those of the type, and may be empty. */
const MOST_LOOKED_AT = 5_000;
const BEYOND_ALL = { position: 2n ** 63n - 1n, id: HIGHEST_ID };

export type EventPage = {
  readonly events: readonly StoredEvent[];
  /** The event up to which the page read, if there may be more behind it. Null if it read all. */
  readonly lookedUpTo: EventId | null;
};

/**
 * An app's events after one of them, or from the oldest on, oldest first. Returns null if there is no such event any more.
 *
 * A reader who continues after the last event of a page misses none: what open transactions write later comes after all that is
 * returned here.
 */
export async function listEvents(
  { query }: Queries,
  appId: AppId,
  after: EventId | null,
  type: EventType | null,
  limit: number,
): Promise<EventPage | null> {
  const [start] = after
    ? await query<{ position: bigint }>('SELECT position FROM events WHERE id = $1 AND app_id = $2', [after, appId])
    : [{ position: 0n }];
  if (!start) return null;
  const from = [appId, start.position, after ?? LOWEST_ID];
  // Bounds the search for a type that is rare among millions of events. The index alone answers this.
  const [edge] = type
    ? await query<{ id: EventId; position: bigint }>(
        `SELECT id, position FROM events WHERE ${SETTLED_AFTER} ORDER BY position, id OFFSET $4 LIMIT 1`,
        [...from, MOST_LOOKED_AT - 1],
      )
    : [];
  // Always given: a generic plan would not use a bound that may be NULL.
  const end = edge ?? BEYOND_ALL;
  const events = await query<StoredEvent>(
    // Who reads an event acts on it, as on a webhook.
    `SELECT ${EVENT_COLUMNS}, ${CONFIRMED} FROM events
      WHERE ${SETTLED_AFTER} AND ($4::text IS NULL OR type = $4)
        AND (position, id) <= ($5, $6)
      ORDER BY position, id LIMIT $7`,
    [...from, type, end.position, end.id, limit],
  );
  return { events, lookedUpTo: edge?.id ?? null };
}

/**
 * The event after which a reader misses nothing from now on; null if there is none. With `from`, the one before it, so that a reader
 * begins with that event; undefined if there is no such event of the app any more.
 */
export async function eventBefore(
  { query }: Queries,
  appId: AppId,
  from: EventId | null,
): Promise<EventId | null | undefined> {
  const [end] = from
    ? await query<{ position: bigint }>('SELECT position FROM events WHERE id = $1 AND app_id = $2', [from, appId])
    : [BEYOND_ALL];
  if (!end) return undefined;
  const [row] = await query<{ id: EventId }>(
    `SELECT id FROM events WHERE ${SETTLED_AFTER} AND (position, id) < ($4, $5) ORDER BY position DESC, id DESC LIMIT 1`,
    [appId, 0n, LOWEST_ID, end.position, from ?? HIGHEST_ID],
  );
  return row?.id ?? null;
}

export async function findEvent(db: Queries, id: EventId): Promise<StoredEvent | null> {
  return (await findEvents(db, [id])).get(id) ?? null;
}

/** These events, without those that are forgotten. */
export async function findEvents({ query }: Queries, ids: readonly EventId[]): Promise<Map<EventId, StoredEvent>> {
  const rows = await query<StoredEvent>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ANY($1::uuid[])`, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Call this when a process starts. The transactions of a database that was restored from a dump have lower numbers than those that
 * wrote its events: this makes positions continue where they ended. It changes nothing at other times.
 */
export async function setEventClock({ query }: Queries): Promise<void> {
  await query(
    // An index gives the newest event, which shows whether a change is needed. Only then are all events read.
    `UPDATE event_clock SET lead = (SELECT max(position) FROM events) - pg_current_xact_id()::text::bigint + 1
       FROM (SELECT position FROM events ORDER BY id DESC LIMIT 1) AS newest
      WHERE newest.position > lead + pg_current_xact_id()::text::bigint`,
  );
}

/** Deletes events older than 30 days with their deliveries, at most `most`. Returns how many. */
export async function forgetOldEvents({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    // No foreign key does this: for each delivery it would lock the event, while a payment waits.
    `WITH old AS (
       DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING id
     ), theirs AS (
       DELETE FROM deliveries USING old WHERE event_id = old.id
     )
     SELECT FROM old`,
    [lowestIdAt(new Date(Date.now() - KEPT_DAYS * DAY_MS)), most],
  );
  return rows.length;
}

/** Whether events are kept from before a time. What they say of requests is read from these. */
export async function hasEventsBefore({ query }: Queries, time: Date): Promise<boolean> {
  return (await query('SELECT FROM events WHERE id < $1::uuid LIMIT 1', [lowestIdAt(time)])).length > 0;
}

export const KEPT_EVENTS: KeptRows = {
  table: 'events',
  what: 'an event, with its deliveries',
  kept: `${KEPT_DAYS} days after it`,
  why: '`GET /v1/events`, deliveries',
  forget: forgetOldEvents,
};
