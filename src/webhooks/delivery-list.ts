import { type EndpointId, type EventId, HIGHEST_ID, lowestIdAt } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import type { EventType } from './event-types.ts';
import type { SendFault } from './send.ts';

/** `pending`: there is a further attempt. `failed`: it was given up. */
export const DELIVERY_STATES = ['delivered', 'pending', 'failed'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

export type Delivery = {
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
  readonly type: EventType;
  readonly eventAt: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it was last asked for. */
  readonly requestedAt: Date;
  /** Null if there is no further attempt. */
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly lastFailedAt: Date | null;
  /** Of the last attempt, like what follows. */
  readonly lastStatus: number | null;
  readonly lastError: SendFault | null;
  /** The beginning of an answer that was not 2xx, from the public internet. */
  readonly lastAnswer: string | null;
  /** Null if there was no answer. */
  readonly lastMs: number | null;
};

const STATE = `CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN next_attempt_at IS NULL THEN 'failed' ELSE 'pending' END`;

/** The columns of a {@link Delivery}, in a query of `deliveries` and `events`. */
const COLUMNS = `event_id AS "eventId", endpoint_id AS "endpointId", type, events.created_at AS "eventAt", ${STATE} AS state, attempts,
  deliveries.created_at AS "requestedAt", next_attempt_at AS "nextAttemptAt", delivered_at AS "deliveredAt",
  last_failed_at AS "lastFailedAt", last_status AS "lastStatus", last_error AS "lastError", last_answer AS "lastAnswer", last_ms AS "lastMs"`;

export type DeliveriesWanted = {
  readonly state: DeliveryState | null;
  readonly type: EventType | null;
  /** Only deliveries of events before this one. */
  readonly before: EventId | null;
};

export type DeliveryPage = {
  readonly deliveries: readonly Delivery[];
  /** The event before which the next page begins. Null at the end. */
  readonly next: EventId | null;
};

/** How many deliveries a page with a filter looks at. It has those that fit, and may be empty. */
const MOST_LOOKED_AT = 2_000;

/** An endpoint's deliveries, the newest events first. */
export async function listDeliveries(
  { query }: Queries,
  endpointId: EndpointId,
  { state, type, before }: DeliveriesWanted,
  limit: number,
): Promise<DeliveryPage> {
  const from = [endpointId, before ?? HIGHEST_ID];
  const looks = state || type ? MOST_LOOKED_AT : limit + 1;
  const [edge] = await query<{ id: EventId }>(
    `SELECT event_id AS id FROM deliveries WHERE endpoint_id = $1 AND event_id < $2 ORDER BY event_id DESC OFFSET $3 LIMIT 1`,
    [...from, looks - 1],
  );
  const found = await query<Delivery>(
    `SELECT ${COLUMNS}
       FROM (SELECT * FROM deliveries WHERE endpoint_id = $1 AND event_id < $2 ORDER BY event_id DESC LIMIT $3) AS deliveries
            JOIN events ON events.id = event_id
      WHERE ($4::text IS NULL OR ${STATE} = $4) AND ($5::text IS NULL OR type = $5)
      ORDER BY event_id DESC LIMIT $6`,
    [...from, looks, state, type, limit + 1],
  );
  const deliveries = found.slice(0, limit);
  return { deliveries, next: found.length > limit ? deliveries.at(-1)!.eventId : (edge?.id ?? null) };
}

/** Where an event was sent, or is to be sent. */
export async function deliveriesOfEvent({ query }: Queries, eventId: EventId): Promise<Delivery[]> {
  return query<Delivery>(
    `SELECT ${COLUMNS} FROM deliveries JOIN events ON events.id = event_id WHERE event_id = $1 ORDER BY endpoint_id`,
    [eventId],
  );
}

/** What became of an endpoint's last deliveries. `total` counts up to {@link MOST_COUNTED}. */
export type RecentDeliveries = {
  readonly total: number;
  readonly delivered: number;
  readonly pending: number;
  readonly failed: number;
};

export const MOST_COUNTED = 1_000;
const DAY_MS = 86_400_000;

/** The deliveries of events of the last day, by endpoint. Endpoints without any are left out. */
export async function countRecentDeliveries(
  { query }: Queries,
  ids: readonly EndpointId[],
): Promise<Map<EndpointId, RecentDeliveries>> {
  const rows = await query<{ id: EndpointId } & { readonly [Count in keyof RecentDeliveries]: bigint }>(
    `SELECT id, count(*) AS total, count(delivered_at) AS delivered,
            count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FILTER (WHERE state = 'failed') AS failed
       FROM unnest($1::uuid[]) AS id CROSS JOIN LATERAL (
         SELECT delivered_at, ${STATE} AS state FROM deliveries WHERE endpoint_id = id AND event_id >= $2
          ORDER BY event_id DESC LIMIT ${MOST_COUNTED}) AS recent
      GROUP BY id`,
    [ids, lowestIdAt(new Date(Date.now() - DAY_MS))],
  );
  return new Map(
    rows.map(({ id, total, delivered, pending, failed }) => [
      id,
      { total: Number(total), delivered: Number(delivered), pending: Number(pending), failed: Number(failed) },
    ]),
  );
}
