import type { AppId, EndpointId, EventId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import { type AppEvent, findEvents, type StoredEvent } from './events.ts';
import type { SendFault } from './send.ts';

/** An event that is due to be sent to an endpoint: as it is stored, or with its data. */
export type DueDelivery<Event extends Pick<StoredEvent, 'id'> = AppEvent> = {
  readonly event: Event;
  readonly endpointId: EndpointId;
  readonly url: string;
  /** The newest first. Each of them signs the message. */
  readonly sealedSecrets: readonly Buffer[];
  /** Including this one. */
  readonly attempts: number;
  /** The endpoint's last delivery failed, or it is slow. */
  readonly failing: boolean;
  /** Since when it had been due. */
  readonly wasDueAt: Date;
};

type Lease = Omit<DueDelivery, 'event' | 'sealedSecrets'> & {
  readonly eventId: EventId;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
};

/** Longer than a delivery waits here and an attempt takes. After that its process has died, and another one takes the delivery. */
const LEASE_SECONDS = 30;
const TRIED_FOR_DAYS = 3;
/** A literal in the SQL: without it, or with many more, the planner expects many rows and reads the whole table. */
export const MOST_TAKEN = 200;

export type DueEndpoint = { readonly id: EndpointId; readonly appId: AppId; readonly failing: boolean };

/** The endpoints for which a delivery is due that nobody has taken. Those that have waited longest come first. */
export async function findDueEndpoints({ query }: Queries): Promise<DueEndpoint[]> {
  return query<DueEndpoint>(
    // Deliveries of an endpoint that fails are many: each step goes from one entry of the index to that of the next endpoint.
    `WITH RECURSIVE pending AS (
       (SELECT endpoint_id AS id, next_attempt_at AS first FROM deliveries
         WHERE next_attempt_at IS NOT NULL ORDER BY endpoint_id, next_attempt_at LIMIT 1)
       UNION ALL
       SELECT following.* FROM pending CROSS JOIN LATERAL (
         SELECT endpoint_id, next_attempt_at FROM deliveries
          WHERE next_attempt_at IS NOT NULL AND endpoint_id > pending.id ORDER BY endpoint_id, next_attempt_at LIMIT 1) AS following
     )
     SELECT id, app_id AS "appId", failing_since IS NOT NULL AS failing FROM pending JOIN webhook_endpoints USING (id)
      WHERE disabled_at IS NULL AND first <= now() ORDER BY first`,
  );
}

/** What this process takes for an endpoint. */
export type WantedDeliveries = {
  readonly id: EndpointId;
  /** At most so many more. */
  readonly most: number;
  /** Deliveries that it has taken and not finished. */
  readonly underWay: number;
  readonly slow: boolean;
};

/**
 * Takes due deliveries for these endpoints, in their order, {@link MOST_TAKEN} at most. A failing endpoint gets one if none is under way here, whatever
 * is wanted. No other process gets these deliveries until the lease ends.
 */
export async function takeDueDeliveries(
  { query }: Queries,
  wanted: readonly WantedDeliveries[],
): Promise<DueDelivery<StoredEvent>[]> {
  const leases = await query<Lease>(
    `WITH next AS (
       SELECT id, url, sealed_secret AS secret, CASE WHEN previous_until > now() THEN previous_sealed_secret END AS "previousSecret",
              failing_since IS NOT NULL OR slow AS failing,
              CASE WHEN failing_since IS NULL THEN most ELSE greatest(least(most, 1 - under_way), 0) END AS most
         FROM unnest($1::uuid[], $2::int[], $3::int[], $4::bool[]) WITH ORDINALITY AS wanted (id, most, under_way, slow, place)
              JOIN webhook_endpoints USING (id)
        WHERE disabled_at IS NULL ORDER BY place
     ), due AS (
       SELECT next.*, delivery.* FROM next CROSS JOIN LATERAL (
         SELECT event_id, next_attempt_at AS was_due_at FROM deliveries
          WHERE endpoint_id = next.id AND next_attempt_at <= now()
          ORDER BY next_attempt_at LIMIT next.most FOR NO KEY UPDATE SKIP LOCKED) AS delivery
        LIMIT ${MOST_TAKEN}
     )
     UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $5)
       FROM due WHERE deliveries.event_id = due.event_id AND endpoint_id = due.id
      RETURNING deliveries.event_id AS "eventId", endpoint_id AS "endpointId", url, secret, "previousSecret", attempts, failing,
        was_due_at AS "wasDueAt"`,
    [
      wanted.map(({ id }) => id),
      wanted.map(({ most }) => most),
      wanted.map(({ underWay }) => underWay),
      wanted.map(({ slow }) => slow),
      LEASE_SECONDS,
    ],
  );
  if (leases.length === 0) return [];
  const events = await findEvents({ query }, [...new Set(leases.map(({ eventId }) => eventId))]);
  return leases
    .sort((a, b) => a.wasDueAt.getTime() - b.wasDueAt.getTime())
    .flatMap(({ eventId, secret, previousSecret, ...lease }) => {
      const event = events.get(eventId);
      const sealedSecrets = previousSecret ? [secret, previousSecret] : [secret];
      return event ? [{ ...lease, event, sealedSecrets }] : [];
    });
}

type Attempt = Pick<DueDelivery<Pick<StoredEvent, 'id'>>, 'event' | 'endpointId' | 'attempts'>;

// An attempt whose lease has ended changes nothing: another process has the delivery. Each statement locks its deliveries by
// event and endpoint, so that no two ever wait for each other.

/**
 * Neither delivered nor given up. In these words, because with `IS NOT NULL` PostgreSQL would compare each delivery with every one in the
 * index of those that are due: it expects that there are hardly any.
 */
const IS_OPEN = 'num_nulls(next_attempt_at) = 0';

/** The attempts as arrays for `unnest`: events, endpoints, numbers of the attempt. */
const keysOf = (attempts: readonly Attempt[]) => [
  attempts.map(({ event }) => event.id),
  attempts.map(({ endpointId }) => endpointId),
  attempts.map((attempt) => attempt.attempts),
];

/** `milliseconds`: how long the attempt took. */
export type Arrived = { readonly delivery: Attempt; readonly status: number; readonly milliseconds: number };

export async function markDelivered({ query }: Queries, arrived: readonly Arrived[]): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT event_id, endpoint_id, status, ms
         FROM deliveries JOIN unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::int[])
           AS done (event_id, endpoint_id, attempts, status, ms) USING (event_id, endpoint_id, attempts)
        WHERE ${IS_OPEN} ORDER BY event_id, endpoint_id FOR NO KEY UPDATE OF deliveries)
     UPDATE deliveries SET delivered_at = now(), next_attempt_at = NULL, last_status = status, last_error = NULL, last_ms = ms,
                           last_answer = NULL, last_failed_at = NULL
       FROM locked WHERE deliveries.event_id = locked.event_id AND deliveries.endpoint_id = locked.endpoint_id`,
    [
      ...keysOf(arrived.map(({ delivery }) => delivery)),
      arrived.map(({ status }) => status),
      arrived.map(({ milliseconds }) => milliseconds),
    ],
  );
}

export type Failed = {
  readonly delivery: Attempt;
  readonly status: number | null;
  readonly fault: SendFault;
  /** What was answered, if it may be kept. */
  readonly answer: string | null;
  /** Until the answer. Null if none came: how long that took would tell about our network. */
  readonly milliseconds: number | null;
  readonly pauseSeconds: number;
};

/** Schedules the next attempts, each after its pause, or gives up three days after the delivery was requested. */
export async function markFailed({ query }: Queries, failed: readonly Failed[]): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT event_id, endpoint_id, status, fault, pause, answer, ms
         FROM deliveries JOIN unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::text[], $6::float8[], $8::text[], $9::int[])
           AS done (event_id, endpoint_id, attempts, status, fault, pause, answer, ms) USING (event_id, endpoint_id, attempts)
        WHERE ${IS_OPEN} ORDER BY event_id, endpoint_id FOR NO KEY UPDATE OF deliveries)
     UPDATE deliveries SET last_status = status, last_error = fault, last_answer = answer, last_ms = ms, last_failed_at = now(),
       next_attempt_at = CASE WHEN created_at > now() - make_interval(days => $7) THEN now() + make_interval(secs => pause) END
       FROM locked WHERE deliveries.event_id = locked.event_id AND deliveries.endpoint_id = locked.endpoint_id`,
    [
      ...keysOf(failed.map(({ delivery }) => delivery)),
      failed.map(({ status }) => status),
      failed.map(({ fault }) => fault),
      failed.map(({ pauseSeconds }) => pauseSeconds),
      TRIED_FOR_DAYS,
      failed.map(({ answer }) => answer),
      failed.map(({ milliseconds }) => milliseconds),
    ],
  );
}

/** Gives taken deliveries back that were not sent, as if nobody had taken them. */
export async function giveBack({ query }: Queries, deliveries: readonly DueDelivery[]): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT event_id, endpoint_id, due_at
         FROM deliveries JOIN unnest($1::uuid[], $2::uuid[], $3::int[], $4::timestamptz[])
           AS given (event_id, endpoint_id, attempts, due_at) USING (event_id, endpoint_id, attempts)
        WHERE ${IS_OPEN} ORDER BY event_id, endpoint_id FOR NO KEY UPDATE OF deliveries)
     UPDATE deliveries SET attempts = attempts - 1, next_attempt_at = due_at
       FROM locked WHERE deliveries.event_id = locked.event_id AND deliveries.endpoint_id = locked.endpoint_id`,
    [...keysOf(deliveries), deliveries.map(({ wasDueAt }) => wasDueAt)],
  );
}

/**
 * Schedules an event for delivery (again): to one endpoint of its app, or to all that want its type, without disabled ones. Returns
 * these endpoints; none if the event was forgotten meanwhile.
 */
export async function redeliver(
  { query, announce }: Tx,
  { id, appId, type }: Pick<StoredEvent, 'id' | 'appId' | 'type'>,
  endpointId: EndpointId | null,
): Promise<EndpointId[]> {
  const rows = await query<{ id: EndpointId }>(
    `INSERT INTO deliveries (event_id, endpoint_id)
     SELECT $1, id FROM webhook_endpoints, (SELECT FROM events WHERE id = $1 FOR KEY SHARE) AS event
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
