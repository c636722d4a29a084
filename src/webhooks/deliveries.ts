import type { EndpointId, EventId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import { type AppEvent, EVENT_COLUMNS, type EventType } from './events.ts';
import type { SendFault } from './send.ts';

/** An event that is due to be sent to an endpoint. */
export type DueDelivery = {
  readonly event: AppEvent;
  readonly endpointId: EndpointId;
  readonly url: string;
  /** The newest first. Each of them signs the message. */
  readonly sealedSecrets: readonly Buffer[];
  /** Including this one. */
  readonly attempts: number;
  /** The endpoint's last delivery failed, or it is slow. */
  readonly failing: boolean;
};

type DueRow = AppEvent &
  Omit<DueDelivery, 'event' | 'sealedSecrets'> & { readonly secret: Buffer; readonly previousSecret: Buffer | null };

/** Longer than an attempt can take. After that its process has died, and another one takes the delivery. */
const LEASE_SECONDS = 30;
const TRIED_FOR_DAYS = 3;
/** More than any process sends at once. A literal in the SQL: without it the planner expects many rows and reads the whole table. */
const MOST_TAKEN = 200;

/**
 * Takes due deliveries: up to `perEndpoint` of each endpoint, one of a failing or `slow` endpoint, less those that this process is
 * sending already (`busy`). Endpoints of the apps with the fewest deliveries being sent come first, so that no app waits for another's
 * backlog; then those that have waited longest. No other process gets these deliveries until the lease ends.
 */
export async function takeDueDeliveries(
  { query }: Queries,
  { busy, slow }: { readonly busy: ReadonlyMap<EndpointId, number>; readonly slow: ReadonlySet<EndpointId> },
  perEndpoint: number,
  most: { readonly healthy: number; readonly failing: number },
): Promise<DueDelivery[]> {
  const rows = await query<DueRow>(
    `WITH free AS (
       SELECT id, url, sealed_secret AS secret, failing,
              CASE WHEN previous_until > now() THEN previous_sealed_secret END AS "previousSecret",
              CASE WHEN failing THEN 1 ELSE $3::int END - coalesce(count, 0) AS places,
              coalesce(sum(count) OVER (PARTITION BY app_id), 0) AS under_way
         FROM webhook_endpoints LEFT JOIN unnest($1::uuid[], $2::int[]) AS busy (id, count) USING (id)
              CROSS JOIN LATERAL (SELECT failing_since IS NOT NULL OR id = ANY($7::uuid[]) AS failing) AS state
        WHERE disabled_at IS NULL
     ), waiting AS (
       SELECT free.*, row_number() OVER (PARTITION BY failing ORDER BY under_way, first.next_attempt_at) AS turn
         FROM free CROSS JOIN LATERAL (
           SELECT next_attempt_at FROM deliveries
            WHERE endpoint_id = free.id AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 1) AS first
        WHERE places > 0
     ), due AS (
       SELECT waiting.*, delivery.event_id FROM waiting CROSS JOIN LATERAL (
         SELECT event_id FROM deliveries
          WHERE endpoint_id = waiting.id AND next_attempt_at <= now()
          ORDER BY next_attempt_at LIMIT waiting.places FOR NO KEY UPDATE SKIP LOCKED) AS delivery
        WHERE turn <= CASE WHEN failing THEN $5::int ELSE $4::int END
        LIMIT ${MOST_TAKEN}
     )
     UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $6)
       FROM due JOIN events ON events.id = due.event_id
      WHERE deliveries.event_id = due.event_id AND endpoint_id = due.id
      RETURNING ${EVENT_COLUMNS}, endpoint_id AS "endpointId", url, secret, "previousSecret", attempts, failing`,
    [
      [...busy.keys()],
      [...busy.values()],
      perEndpoint,
      Math.ceil(most.healthy / perEndpoint),
      most.failing,
      LEASE_SECONDS,
      [...slow],
    ],
  );
  return rows.map(({ endpointId, url, secret, previousSecret, attempts, failing, ...event }) => {
    const sealedSecrets = previousSecret ? [secret, previousSecret] : [secret];
    return { event, endpointId, url, sealedSecrets, attempts, failing };
  });
}

type Attempt = Pick<DueDelivery, 'event' | 'endpointId' | 'attempts'>;

// An attempt whose lease has ended changes nothing: another process has the delivery.

export async function markDelivered(
  { query }: Queries,
  { event, endpointId, attempts }: Attempt,
  status: number,
): Promise<void> {
  await query(
    `UPDATE deliveries SET delivered_at = now(), next_attempt_at = NULL, last_status = $4, last_error = NULL
      WHERE event_id = $1 AND endpoint_id = $2 AND attempts = $3 AND next_attempt_at IS NOT NULL`,
    [event.id, endpointId, attempts, status],
  );
}

/** Schedules the next attempt after `pauseSeconds`, or gives up three days after the delivery was requested. */
export async function markFailed(
  { query }: Queries,
  { event, endpointId, attempts }: Attempt,
  { status, fault, pauseSeconds }: { status: number | null; fault: SendFault; pauseSeconds: number },
): Promise<void> {
  await query(
    `UPDATE deliveries SET last_status = $4, last_error = $5, next_attempt_at =
       CASE WHEN created_at > now() - make_interval(days => $7) THEN now() + make_interval(secs => $6) END
      WHERE event_id = $1 AND endpoint_id = $2 AND attempts = $3 AND next_attempt_at IS NOT NULL`,
    [event.id, endpointId, attempts, status, fault, pauseSeconds, TRIED_FOR_DAYS],
  );
}

/**
 * Schedules an event for delivery (again): to one endpoint of its app, or to all that want its type, without disabled ones. Returns
 * these endpoints.
 */
export async function redeliver(
  { query, announce }: Tx,
  { id, appId, type }: Pick<AppEvent, 'id' | 'appId' | 'type'>,
  endpointId: EndpointId | null,
): Promise<EndpointId[]> {
  const rows = await query<{ id: EndpointId }>(
    `INSERT INTO deliveries (event_id, endpoint_id)
     SELECT $1, id FROM webhook_endpoints
      WHERE app_id = $2 AND disabled_at IS NULL
        AND CASE WHEN $4::uuid IS NULL THEN types IS NULL OR $3 = ANY(types) ELSE id = $4 END
      ORDER BY id
     ON CONFLICT (event_id, endpoint_id) DO UPDATE
        SET attempts = 0, next_attempt_at = now(), delivered_at = NULL, created_at = now()
     RETURNING endpoint_id AS id`,
    [id, appId, type, endpointId],
  );
  announce('deliveries');
  return rows.map(({ id }) => id);
}

export type Delivery = {
  readonly eventId: EventId;
  readonly type: EventType;
  readonly eventAt: Date;
  readonly attempts: number;
  /** Null if there is no further attempt. */
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: SendFault | null;
};

/** An endpoint's deliveries, the newest events first. */
export async function listDeliveries({ query }: Queries, endpointId: EndpointId, most: number): Promise<Delivery[]> {
  return query<Delivery>(
    `SELECT event_id AS "eventId", type, events.created_at AS "eventAt", attempts, next_attempt_at AS "nextAttemptAt",
            delivered_at AS "deliveredAt", last_status AS "lastStatus", last_error AS "lastError"
       FROM deliveries JOIN events ON events.id = event_id WHERE endpoint_id = $1 ORDER BY event_id DESC LIMIT $2`,
    [endpointId, most],
  );
}
