import {
  type AppId,
  type CallId,
  HIGHEST_ID,
  LOWEST_ID,
  lowestIdAt,
  type RequestId,
  type UserId,
} from '../../../base/ids.ts';
import { columnsOf, type Database, type Queries, type Tx } from '../../../db/database.ts';
import type { KeptRows } from '../../../db/keep-until.ts';
import type { CallCount } from './call-hours.ts';

/** One call of an app's API, as its developers see it. It holds no secret, no body and no query. */
export type LoggedCall = {
  readonly id: CallId;
  /** To a tenth. */
  readonly milliseconds: number;
  /** Null: the caller disconnected before the response. */
  readonly status: number | null;
  readonly method: string;
  /** The pattern, such as `/v1/requests/:id`, never the path. */
  readonly route: string;
  /** Of the refusal: a problem's code, or an error of OAuth. */
  readonly code: string | null;
  /** The names of the fields that were wrong, such as `amount, user`, without their values. */
  readonly fields: string | null;
  /** The id of the server API key that called. */
  readonly keyId: string | null;
  readonly userId: UserId | null;
  /** The first 8 hex digits of the SHA-256 of the `Idempotency-Key`. */
  readonly idempotency: string | null;
  /** The request that the path or the response names. */
  readonly paymentId: RequestId | null;
  /** Of a refused call: hashes of the ids that it named, see `http/named-ids.ts`. */
  readonly about: string | null;
};

export type NewCall = LoggedCall & { readonly appId: AppId };

const DAY_MS = 86_400_000;
export const CALL_DAYS = 7;

const COLUMNS = `id, milliseconds, status, method, route, code, fields, encode(key_id, 'hex') AS "keyId", user_id AS "userId",
  encode(idempotency, 'hex') AS idempotency, payment_id AS "paymentId", about`;

const FIELDS = [
  ...(['appId', 'id', 'milliseconds', 'status', 'method', 'route', 'code', 'fields'] as const),
  ...(['keyId', 'userId', 'idempotency', 'paymentId', 'about'] as const),
];

/**
 * Stores calls and adds up counts, in one statement. It adds in the order of the keys, so that processes cannot deadlock. As arrays, rows
 * cost the database a third less than as JSON.
 */
export async function storeCalls(
  { query }: Tx,
  calls: readonly NewCall[],
  counts: readonly CallCount[],
): Promise<void> {
  await query(
    `WITH stored AS (
       INSERT INTO api_calls (app_id, id, milliseconds, status, method, route, code, fields, key_id, user_id, idempotency, payment_id, about)
       SELECT app_id, id, milliseconds, status, method, route, code, fields, decode(key_id, 'hex'), user_id, decode(idempotency, 'hex'), payment_id, about
         FROM unnest($1::text[], $2::uuid[], $3::real[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                     $10::text[], $11::text[], $12::uuid[], $13::text[])
           AS new (app_id, id, milliseconds, status, method, route, code, fields, key_id, user_id, idempotency, payment_id, about)
     )
     INSERT INTO api_call_hours AS known (app_id, hour, status, code, calls)
     SELECT app_id, hour, status, code, calls
       FROM unnest($14::text[], $15::timestamptz[], $16::smallint[], $17::text[], $18::bigint[]) AS new (app_id, hour, status, code, calls)
      ORDER BY 1, 2, 3, 4
     ON CONFLICT (app_id, hour, status, code) DO UPDATE SET calls = known.calls + excluded.calls`,
    [...columnsOf(calls, FIELDS), ...columnsOf(counts, ['appId', 'hour', 'status', 'code', 'calls'])],
  );
}

const BY_INDEX = 'SET LOCAL enable_sort = off';

/**
 * Runs statements that take an app's calls in the order of the index. While statistics lag behind what was written, a plan would otherwise
 * read and sort all of them.
 */
function inIndexOrder<T>({ transaction }: Pick<Database, 'transaction'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(async (tx) => {
    await tx.query(BY_INDEX);
    return work(tx);
  });
}

/** What a call must fulfil. A missing part is fulfilled by all. */
export type CallFilter = {
  /** The lowest and the highest status. 0: the caller disconnected before the response. */
  readonly statuses?: readonly [number, number] | undefined;
  readonly code?: string | undefined;
  /** Part of `POST /v1/requests/:id`, in any case. */
  readonly route?: string | undefined;
  readonly userId?: string | undefined;
  /** The id of a server API key. */
  readonly keyId?: string | undefined;
  /** One of these. */
  readonly idempotency?: readonly string[] | undefined;
  /** One of the hashes of an id. */
  readonly about?: readonly string[] | undefined;
};

/** The calls of an app that began in a time, before the call `before`. */
export type CallStep = {
  readonly appId: AppId;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly before?: CallId | undefined;
  /** The most calls that are read. */
  readonly size: number;
};

type FoundCalls = { readonly calls: LoggedCall[]; readonly end: CallId | null };

/**
 * The first `limit` calls of a step that fulfil the filter, newest first. `end`: the last call that was read; null if the page is full
 * before it, or if the step has reached the oldest call.
 */
export function searchCalls(
  { snapshot }: Pick<Database, 'snapshot'>,
  step: CallStep,
  filter: CallFilter,
  limit: number,
): Promise<FoundCalls> {
  return snapshot(async (tx) => {
    await Promise.all([tx.query(BY_INDEX), tx.query('SET LOCAL enable_seqscan = off')]);
    return searchStepOfCalls(tx, step, filter, limit);
  });
}

async function searchStepOfCalls(
  { query }: Tx,
  step: CallStep,
  { statuses, code, route, userId, keyId, idempotency, about }: CallFilter,
  limit: number,
): Promise<FoundCalls> {
  const { size } = step;
  const calls = await query<LoggedCall>(
    // The limit comes before every condition. So whatever is searched for, a page reads at most one step of this app's rows.
    `SELECT ${COLUMNS} FROM (
       SELECT * FROM api_calls WHERE app_id = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4
     ) AS step
      WHERE ($6::int IS NULL OR coalesce(status, 0) BETWEEN $6 AND $7) AND ($8::text IS NULL OR code = $8)
        AND ($9::text IS NULL OR strpos(lower(method || ' ' || route), lower($9)) > 0)
        AND ($10::text IS NULL OR user_id = $10) AND ($11::text[] IS NULL OR encode(idempotency, 'hex') = ANY($11))
        AND ($12::text IS NULL OR encode(key_id, 'hex') = $12) AND ($13::text[] IS NULL OR string_to_array(about, ' ') && $13)
      ORDER BY id DESC LIMIT $5`,
    [...parametersOf(step), size, limit, statuses?.[0], statuses?.[1], code, route, userId, idempotency, keyId, about],
  );
  if (calls.length === limit) return { calls, end: null };
  // Calls that arrive meanwhile make the step end earlier, so that none is skipped.
  const [end] = await query<{ id: CallId }>(
    'SELECT id FROM api_calls WHERE app_id = $1 AND id >= $2 AND id < $3 ORDER BY id DESC OFFSET $4 LIMIT 1',
    [...parametersOf(step), size - 1],
  );
  return { calls, end: end?.id ?? null };
}

function parametersOf({ appId, from, to, before = HIGHEST_ID as CallId }: CallStep): unknown[] {
  const until = to ? lowestIdAt(to) : HIGHEST_ID;
  return [appId, from ? lowestIdAt(from) : LOWEST_ID, before < until ? before : until];
}

/** One call of the app; null if there is none, or it is forgotten. */
export async function findCall({ query }: Queries, appId: AppId, id: CallId): Promise<LoggedCall | null> {
  const [call] = await query<LoggedCall>(`SELECT ${COLUMNS} FROM api_calls WHERE app_id = $1 AND id = $2`, [appId, id]);
  return call ?? null;
}

/** When a call began. */
export function callTime({ id }: Pick<LoggedCall, 'id'>): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** Deletes calls that are older than seven days, at most `most`. Returns how many. */
export async function forgetOldCalls(db: Pick<Database, 'transaction'>, most: number): Promise<number> {
  const rows = await inIndexOrder(db, ({ query }) =>
    query(
      // One look at the index for each app finds its oldest calls.
      `WITH RECURSIVE owners AS (
       (SELECT app_id FROM api_calls ORDER BY app_id LIMIT 1)
       UNION ALL
       SELECT (SELECT app_id FROM api_calls WHERE app_id > owners.app_id ORDER BY app_id LIMIT 1) FROM owners WHERE app_id IS NOT NULL
     ), old AS (
       SELECT oldest.app_id, oldest.id FROM owners CROSS JOIN LATERAL (
         SELECT app_id, id FROM api_calls WHERE api_calls.app_id = owners.app_id AND id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
       ) AS oldest LIMIT $2
     )
     DELETE FROM api_calls USING old WHERE api_calls.app_id = old.app_id AND api_calls.id = old.id RETURNING 1`,
      [lowestIdAt(new Date(Date.now() - CALL_DAYS * DAY_MS)), most],
    ),
  );
  return rows.length;
}

export const KEPT_CALLS: KeptRows = {
  table: 'api_calls',
  what: 'a call of the API',
  kept: `${CALL_DAYS} days after it, the newest 100,000 of each app`,
  why: 'the log of calls',
  forget: forgetOldCalls,
};

/** Deletes an app's calls but the newest `kept`, at most `most`. Returns how many. */
export async function trimCalls(
  db: Pick<Database, 'transaction'>,
  appId: AppId,
  kept: number,
  most: number,
): Promise<number> {
  const rows = await inIndexOrder(db, ({ query }) =>
    query(
      `DELETE FROM api_calls WHERE app_id = $1 AND id IN (
       SELECT id FROM api_calls WHERE app_id = $1 AND id <=
           (SELECT id FROM api_calls WHERE app_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)
        ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
      [appId, kept, most],
    ),
  );
  return rows.length;
}
