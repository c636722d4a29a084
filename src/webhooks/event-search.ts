import { type AppId, type EventId, HIGHEST_ID, lowestIdAt } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import type { EventType } from './event-types.ts';
import { EVENT_COLUMNS, type EventPage, type StoredEvent } from './events.ts';

// Positions follow the clock, but for transactions that overlap. So a time leads to a position, with some slack, and the index of an app's
// events is read from there.

const SLACK_MS = 60_000;
/** How many events one search looks at. */
const MOST_LOOKED_AT = 5_000;
/** Of one request: nearly all its events happen soon after it was made. */
const MOST_LOOKED_AT_FOR_REQUEST = 20_000;
const LOWEST = 0n;
const HIGHEST = 2n ** 63n - 1n;

export type EventSearch = {
  readonly type: EventType | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  /** Only events before this one. */
  readonly before: EventId | null;
};

/** An app's events that fit, newest first. A page looks at a bounded number, so it may be empty without being the last. */
export async function searchEvents(
  db: Queries,
  appId: AppId,
  { type, from, to, before }: EventSearch,
  limit: number,
): Promise<EventPage> {
  const end = before ? await positionOf(db, appId, before) : to && (await positionAfter(db, to));
  const range = [appId, (from && (await positionBefore(db, from))) ?? LOWEST, end ?? HIGHEST, before ?? HIGHEST_ID];
  const looks = type || from || to ? MOST_LOOKED_AT : limit + 1;
  const looked = `FROM events WHERE app_id = $1 AND position >= $2 AND (position, id) < ($3, $4) ORDER BY position DESC, id DESC`;
  const [edge] = await db.query<{ id: EventId }>(`SELECT id ${looked} OFFSET $5 LIMIT 1`, [...range, looks - 1]);
  const found = await db.query<StoredEvent>(
    `SELECT ${EVENT_COLUMNS} FROM (SELECT * ${looked} LIMIT $5) AS events
      WHERE ($6::text IS NULL OR type = $6) AND ($7::timestamptz IS NULL OR created_at >= $7)
        AND ($8::timestamptz IS NULL OR created_at < $8)
      ORDER BY position DESC, id DESC LIMIT $9`,
    [...range, looks, type, from, to, limit + 1],
  );
  const events = found.slice(0, limit);
  return { events, lookedUpTo: found.length > limit ? events.at(-1)!.id : (edge?.id ?? null) };
}

/**
 * An app's events about one request, newest first: those among its first 20,000 events after the request was made. Test events are about
 * requests that were never made.
 */
export async function findEventsAbout(
  db: Queries,
  appId: AppId,
  { id, madeAt }: { readonly id: string; readonly madeAt: Date },
): Promise<StoredEvent[]> {
  return db.query<StoredEvent>(
    `SELECT ${EVENT_COLUMNS} FROM (
       SELECT * FROM events WHERE app_id = $1 AND position >= $2 ORDER BY position, id LIMIT ${MOST_LOOKED_AT_FOR_REQUEST}) AS events
      WHERE request_id = $3 OR data->>'id' = $3::text
      ORDER BY position DESC, id DESC LIMIT 100`,
    [appId, await positionBefore(db, madeAt), id],
  );
}

async function positionOf({ query }: Queries, appId: AppId, id: EventId): Promise<bigint> {
  const [row] = await query<{ position: bigint }>('SELECT position FROM events WHERE id = $1 AND app_id = $2', [
    id,
    appId,
  ]);
  return row?.position ?? LOWEST;
}

/** A position that no event of that time or later is below. */
async function positionBefore({ query }: Queries, time: Date): Promise<bigint> {
  const [row] = await query<{ position: bigint }>(
    'SELECT position FROM events WHERE id < $1 ORDER BY id DESC LIMIT 1',
    [lowestIdAt(new Date(time.getTime() - SLACK_MS))],
  );
  return row?.position ?? LOWEST;
}

/** A position that no event from before that time is above. */
async function positionAfter({ query }: Queries, time: Date): Promise<bigint> {
  const [row] = await query<{ position: bigint }>('SELECT position FROM events WHERE id >= $1 ORDER BY id LIMIT 1', [
    lowestIdAt(new Date(time.getTime() + SLACK_MS)),
  ]);
  return row?.position ?? HIGHEST;
}
