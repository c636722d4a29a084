import { type AppId, type EventId, lowestIdAt } from '../base/ids.ts';
import { jsonRows, type Query, type Tx } from '../db/database.ts';
import type { EventType } from './event-types.ts';

type Queries = { readonly query: Query };

/** Something an app is told. */
export type AppEvent = {
  readonly id: EventId;
  readonly appId: AppId;
  readonly type: EventType;
  /** Counts the events of one request, transfer or guest, from 1 without gaps. */
  readonly sequence: number;
  /** JSON: how what the event is about was at that moment. */
  readonly data: object;
  readonly createdAt: Date;
};

/** The columns of an {@link AppEvent}. */
export const EVENT_COLUMNS = `events.id, events.app_id AS "appId", type, sequence, data, events.created_at AS "createdAt"`;

/** What a consumer is sent, and reads. */
export function eventJson({ type, sequence, data, createdAt }: AppEvent) {
  return { type, timestamp: createdAt.toISOString(), data: { ...data, sequence } };
}

const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;

/**
 * Writes events in the transaction that makes them true, and a delivery of each to every endpoint that wants it: one statement,
 * which waits for no row of anybody.
 */
export async function insertEvents(tx: Tx, events: readonly Omit<AppEvent, 'createdAt'>[]): Promise<void> {
  if (events.length === 0) return;
  // Not jsonb: the fields of `data` would lose their order.
  const wanted = await tx.query(
    `WITH stored AS (
       INSERT INTO events (id, app_id, type, sequence, data, position)
       SELECT id, "appId", type, sequence, data, lead + pg_current_xact_id()::text::bigint
         FROM event_clock,
              json_to_recordset($1) AS new (id uuid, "appId" text, type text, sequence int, data json)
       RETURNING id, app_id, type
     ), wanted AS (
       INSERT INTO deliveries (event_id, endpoint_id)
       SELECT stored.id, endpoint.id FROM stored JOIN webhook_endpoints AS endpoint USING (app_id)
        WHERE disabled_at IS NULL AND (types IS NULL OR type = ANY(types))
       RETURNING event_id
     )
     SELECT FROM wanted LIMIT 1`,
    [jsonRows(events)],
  );
  if (wanted.length > 0) tx.announce('deliveries');
}

// Transactions below xmin are all over, and what they wrote is seen; every other one has a greater number.
const SETTLED_AFTER = `app_id = $1 AND (position, id) > ($2, $3)
  AND position < (SELECT lead + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM event_clock)`;

/** Events one page looks at for those of a type: what is left of them is the page, be it nothing. */
const MOST_LOOKED_AT = 5_000;
const BEYOND_ALL = { position: 2n ** 63n - 1n, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

export type EventPage = {
  readonly events: readonly AppEvent[];
  /** The event up to which a type was looked for, where there are events behind it or may be; null: all there are. */
  readonly lookedUpTo: EventId | null;
};

/**
 * An app's events after one of them, oldest first; null: from the oldest there is. Who goes on after the last one they got
 * misses none: what a transaction still under way may yet write comes after all that is read here. Null where there is no such
 * event to go on after, or no more.
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
  const from = [appId, start.position, after ?? '00000000-0000-0000-0000-000000000000'];
  // However rare a type is among an app's millions; found in the index alone.
  const [edge] = type
    ? await query<{ id: EventId; position: bigint }>(
        `SELECT id, position FROM events WHERE ${SETTLED_AFTER} ORDER BY position, id OFFSET $4 LIMIT 1`,
        [...from, MOST_LOOKED_AT - 1],
      )
    : [];
  // Never left out: a plan that is kept for all values would not use a bound that may be missing.
  const end = edge ?? BEYOND_ALL;
  const events = await query<AppEvent>(
    `SELECT ${EVENT_COLUMNS} FROM events
      WHERE ${SETTLED_AFTER} AND ($4::text IS NULL OR type = $4)
        AND (position, id) <= ($5, $6)
      ORDER BY position, id LIMIT $7`,
    [...from, type, end.position, end.id, limit],
  );
  return { events, lookedUpTo: edge?.id ?? null };
}

export async function findEvent({ query }: Queries, id: EventId): Promise<AppEvent | null> {
  const [row] = await query<AppEvent>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = $1`, [id]);
  return row ?? null;
}

/**
 * At the start of a process. After the database was put back from a dump its transactions have smaller numbers than those that
 * wrote the events in it; they go on where those ended. Changes nothing at any other time.
 */
export async function setEventClock({ query }: Queries): Promise<void> {
  await query(
    // The newest tells, by an index, whether it is so; then, and only then, all are looked at.
    `UPDATE event_clock SET lead = (SELECT max(position) FROM events) - pg_current_xact_id()::text::bigint + 1
       FROM (SELECT position FROM events ORDER BY id DESC LIMIT 1) AS newest
      WHERE newest.position > lead + pg_current_xact_id()::text::bigint`,
  );
}

/** Forgets events of more than 30 days ago with their deliveries, at most `most`; returns how many. */
export async function forgetOldEvents({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [lowestIdAt(new Date(Date.now() - KEPT_DAYS * DAY_MS)), most],
  );
  return rows.length;
}
