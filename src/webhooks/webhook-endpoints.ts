import type { AppId, EndpointId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Queries, Tx } from '../db/database.ts';
import type { SealedRows } from '../db/sealed-rows.ts';
import type { EventType } from './event-types.ts';

/** `owner`: its owner disabled it. `gone`: it answered 410. `failing`: it failed for three days. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

/** An address that an app's events are sent to. */
export type Endpoint = {
  readonly id: EndpointId;
  readonly appId: AppId;
  readonly url: string;
  /** Null means all types, including future ones. */
  readonly types: EventType[] | null;
  /** Null if the last delivery arrived. */
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: Date;
};

const COLUMNS = `id, app_id AS "appId", url, types, failing_since AS "failingSince", disabled_at AS "disabledAt",
  disabled_reason AS "disabledReason", created_at AS "createdAt"`;

export const MAX_ENDPOINTS = 5;

/** How long a replaced secret still signs, besides the new one. */
export const ROTATION_HOURS = 24;

const FAILING_DAYS = 3;

/** The context in which an endpoint's secret is sealed. */
export const secretContext = (id: EndpointId) => `webhook secret ${id}`;

/** Stores an endpoint. Lock the app before, so that concurrent calls cannot exceed the limit. Throws `limit-reached` if it has five. */
export async function insertEndpoint(
  { query }: Tx,
  endpoint: Pick<Endpoint, 'id' | 'appId' | 'url' | 'types'> & { readonly sealedSecret: Buffer },
): Promise<Endpoint> {
  const { id, appId, url, types, sealedSecret } = endpoint;
  const present = await query('SELECT FROM webhook_endpoints WHERE app_id = $1', [appId]);
  if (present.length >= MAX_ENDPOINTS) {
    throw new Problem('limit-reached', `The app has ${MAX_ENDPOINTS} webhook endpoints already. Remove one first.`);
  }
  const [row] = await query<Endpoint>(
    `INSERT INTO webhook_endpoints (id, app_id, url, types, sealed_secret) VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,
    [id, appId, url, types, sealedSecret],
  );
  return row!;
}

/** An app's endpoints, oldest first. */
export async function listEndpoints({ query }: Queries, appId: AppId): Promise<Endpoint[]> {
  return query<Endpoint>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE app_id = $1 ORDER BY id`, [appId]);
}

export async function findEndpoint({ query }: Queries, id: EndpointId): Promise<Endpoint | null> {
  const [row] = await query<Endpoint>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = $1`, [id]);
  return row ?? null;
}

export type EndpointChange = {
  readonly url?: string;
  readonly types?: EventType[] | null;
  readonly enabled?: boolean;
};

/** Changes the given fields. Enabling it again forgets its failures. Null if the app has no such endpoint. */
export async function storeEndpointChange(
  { query }: Queries,
  appId: AppId,
  id: EndpointId,
  { url, types, enabled }: EndpointChange,
): Promise<Endpoint | null> {
  const [row] = await query<Endpoint>(
    `UPDATE webhook_endpoints SET
       url = coalesce($3, url),
       types = CASE WHEN $4 THEN $5 ELSE types END,
       failing_since = CASE WHEN $6 THEN NULL ELSE failing_since END,
       disabled_at = CASE WHEN $6 THEN NULL WHEN NOT $6 THEN coalesce(disabled_at, now()) ELSE disabled_at END,
       disabled_reason = CASE WHEN $6 THEN NULL WHEN NOT $6 THEN coalesce(disabled_reason, 'owner') ELSE disabled_reason END
      WHERE id = $2 AND app_id = $1 RETURNING ${COLUMNS}`,
    [appId, id, url ?? null, types !== undefined, types ?? null, enabled ?? null],
  );
  return row ?? null;
}

/** Stores a new secret. The old one still signs for a day: returns until when. Null if the app has no such endpoint. */
export async function rotateSecret(
  { query }: Queries,
  appId: AppId,
  id: EndpointId,
  sealedSecret: Buffer,
): Promise<Date | null> {
  const [row] = await query<{ until: Date }>(
    `UPDATE webhook_endpoints
        SET previous_sealed_secret = sealed_secret, sealed_secret = $3, previous_until = now() + make_interval(hours => $4)
      WHERE id = $2 AND app_id = $1 RETURNING previous_until AS until`,
    [appId, id, sealedSecret, ROTATION_HOURS],
  );
  return row?.until ?? null;
}

/** Deletes an endpoint. Its deliveries are no longer sent, and go with their events. Null if the app has no such endpoint. */
export async function deleteEndpoint({ query }: Queries, appId: AppId, id: EndpointId): Promise<Endpoint | null> {
  const [row] = await query<Endpoint>(
    `DELETE FROM webhook_endpoints WHERE id = $2 AND app_id = $1 RETURNING ${COLUMNS}`,
    [appId, id],
  );
  return row ?? null;
}

/** Deletes all endpoints of an app. Lock the app before. */
export async function deleteEndpointsOf({ query }: Tx, appId: AppId): Promise<void> {
  await query(
    `WITH theirs AS (SELECT id FROM webhook_endpoints WHERE app_id = $1 ORDER BY id FOR UPDATE)
     DELETE FROM webhook_endpoints USING theirs WHERE webhook_endpoints.id = theirs.id`,
    [appId],
  );
}

/** Endpoints whose deliveries fail, and those that were disabled for it in the last week; the oldest failures first, at most `most`. */
export async function listFailingEndpoints({ query }: Queries, most: number): Promise<Endpoint[]> {
  return query<Endpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints
      WHERE failing_since IS NOT NULL AND disabled_reason IS DISTINCT FROM 'owner'
        AND (disabled_at IS NULL OR disabled_at > now() - interval '7 days')
      ORDER BY failing_since, id LIMIT $1`,
    [most],
  );
}

/** Where messages go now: the newest endpoints that are not disabled, at most `most`. */
export async function listNewestTargets({ query }: Queries, most: number): Promise<string[]> {
  const rows = await query<{ url: string }>(
    'SELECT url FROM webhook_endpoints WHERE disabled_at IS NULL ORDER BY created_at DESC, id LIMIT $1',
    [most],
  );
  return rows.map(({ url }) => url);
}

/** Deliveries have arrived: these endpoints are no longer failing. */
export async function clearFailing({ query }: Queries, ids: readonly EndpointId[]): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT id FROM webhook_endpoints WHERE id = ANY($1::uuid[]) AND failing_since IS NOT NULL
        ORDER BY id FOR NO KEY UPDATE)
     UPDATE webhook_endpoints SET failing_since = NULL FROM locked WHERE webhook_endpoints.id = locked.id`,
    [ids],
  );
}

/**
 * Records that deliveries to these endpoints have failed; `gone` are those of them that answered so. Disables endpoints that are gone
 * or have failed for three days, and returns them, once.
 */
export async function recordFailures(
  { query }: Queries,
  ids: readonly EndpointId[],
  gone: readonly EndpointId[],
): Promise<Endpoint[]> {
  const rows = await query<Endpoint>(
    `WITH locked AS (
       SELECT id, id = ANY($2::uuid[]) AS gone FROM webhook_endpoints WHERE id = ANY($1::uuid[]) AND disabled_at IS NULL
        ORDER BY id FOR NO KEY UPDATE
     ), changed AS (
       UPDATE webhook_endpoints SET
         failing_since = coalesce(failing_since, now()),
         disabled_at = CASE WHEN gone OR failing_since <= now() - make_interval(days => $3) THEN now() END,
         disabled_reason = CASE WHEN gone THEN 'gone' WHEN failing_since <= now() - make_interval(days => $3) THEN 'failing' END
        FROM locked WHERE webhook_endpoints.id = locked.id RETURNING webhook_endpoints.*
     )
     SELECT ${COLUMNS} FROM changed WHERE disabled_at IS NOT NULL ORDER BY id`,
    [ids, gone, FAILING_DAYS],
  );
  return rows;
}

export function noSuchEndpoint(): Problem {
  return new Problem('not-found', 'There is no such webhook endpoint.');
}

/** The secrets of endpoints. A row may have two. */
export const SEALED_WEBHOOK_SECRETS: SealedRows = {
  list: ({ query }, key, after, most) =>
    query(
      `SELECT id::text, sealed, 'webhook secret ' || id AS context
         FROM (SELECT id, sealed_secret, previous_sealed_secret FROM webhook_endpoints
                WHERE (substring(sealed_secret FOR 4) <> $1 OR substring(previous_sealed_secret FOR 4) <> $1) AND id::text > $2
                ORDER BY id::text LIMIT $3) AS endpoints,
              unnest(ARRAY[sealed_secret, previous_sealed_secret]) AS each (sealed)
        WHERE substring(sealed FOR 4) <> $1 ORDER BY id::text`,
      [key, after, most],
    ),
  async replace({ query }, values) {
    for (const { id, sealed, anew } of values) {
      await query(
        `UPDATE webhook_endpoints
            SET sealed_secret = CASE WHEN sealed_secret = $2 THEN $3 ELSE sealed_secret END,
                previous_sealed_secret = CASE WHEN previous_sealed_secret = $2 THEN $3 ELSE previous_sealed_secret END
          WHERE id = $1`,
        [id, sealed, anew],
      );
    }
  },
};
