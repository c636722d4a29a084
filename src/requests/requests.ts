import { type Address, toChecksum } from '../base/address.ts';
import { timestamp } from '../base/dates.ts';
import type { Hash } from '../base/hex.ts';
import { type AppId, HIGHEST_ID, type RequestId, type UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { timeOfId } from '../db/columns.ts';
import { CONFIRMED } from '../db/commits.ts';
import { columnsOf, jsonRows, type Lookup, type Lookups, type Queries } from '../db/database.ts';
import { liveFirst } from '../db/live-first.ts';
import type { RequestStatus } from './states.ts';

/**
 * `user`: an app asks a user for quarters. `payout`: an app pays a user; it is approved as it is made. `refund`: a payout that returns
 * what the user paid before.
 */
export type RequestSource = 'user' | 'payout' | 'refund';

export type TransferRequest = {
  readonly id: RequestId;
  readonly appId: AppId;
  readonly userId: UserId;
  readonly source: RequestSource;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly description: string;
  /** The payment that a refund returns quarters of; null for other requests. */
  readonly refundOf: RequestId | null;
  /** Callers see `expired` as soon as the time is over, and `submitted` as soon as a transaction is sent, before either is recorded. */
  readonly status: RequestStatus;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** A request as its user and its app see it. */
export type RequestView = TransferRequest & {
  readonly appAddress: Address;
  /** The transaction that pays it, after a replacement the mined one; null before it is approved. */
  readonly txHash: Hash | null;
  readonly completedAt: Date | null;
  /** What was refunded of it, or is on its way back. */
  readonly refunded: Quarters;
};

export function appAddressOf({ source, from, to }: TransferRequest): Address {
  return source === 'user' ? to : from;
}

/** A request as the API and events show it: the API's fields and the current status. */
export function requestJson(view: RequestView) {
  return {
    id: view.id,
    tokens: Number(view.amount),
    appId: view.appId,
    appAddress: toChecksum(view.appAddress),
    embedCode: view.id,
    description: view.description,
    type: 'transfer' as const,
    endpoint: `/v1/requests/${view.id}`,
    created: timestamp(view.createdAt),
    userId: view.userId,
    status: view.status,
    txId: view.txHash,
    completed: view.completedAt && timestamp(view.completedAt),
    refunded: Number(view.refunded),
    refundOf: view.refundOf,
  };
}

// A node has taken the transaction of a transfer of it. Not with EXISTS: for a long list, the planner would then hash all transfers.
const IS_SENT = `(SELECT true FROM ONLY transfers JOIN broadcasts USING (relayer)
                   WHERE request_id = requests.id AND below > relayer_nonce LIMIT 1)`;

/** A request's status at this moment, in a query of the table or of rows named `requests`. */
export const STATUS = `CASE WHEN status = 'pending' AND expires_at <= clock_timestamp() THEN 'expired'
       WHEN status = 'approved' AND ${IS_SENT} THEN 'submitted' ELSE status END`;

/**
 * The SQL of a request's place in a list, which goes by `(created_at, id)`. An id of which there is no row has the place of its time, so the
 * lowest and the highest id of a time can stand for it.
 */
export const placeOfRequest = (id: string): string =>
  `(coalesce((SELECT placed.created_at FROM requests AS placed WHERE placed.id = ${id}), ${timeOfId(id)}), ${id}::uuid)`;

/** The columns of a {@link TransferRequest}. */
export const REQUEST_COLUMNS = `id, app_id AS "appId", user_id AS "userId", source, from_address AS "from", to_address AS "to", amount,
  description, refund_of AS "refundOf", ${STATUS} AS status, created_at AS "createdAt", expires_at AS "expiresAt"`;

export type NewRequest = Pick<
  TransferRequest,
  'id' | 'appId' | 'userId' | 'source' | 'from' | 'to' | 'amount' | 'description'
> & { readonly refundOf?: RequestId; readonly ttlSeconds: number };

// $1: the requests, $2: their status.
const INSERT = `INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, description, refund_of, expires_at,
                       status, transitions, transition_times)
  SELECT id, "appId", "userId", source, "from", "to", amount, description, "refundOf",
         clock_timestamp() + make_interval(secs => "ttlSeconds"), $2, ARRAY['create app:' || "appId"], ARRAY[now()]
    FROM jsonb_to_recordset($1)
      AS new (id uuid, "appId" text, "userId" text, source text, "from" text, "to" text, amount bigint, description text,
              "refundOf" uuid, "ttlSeconds" float8)`;

/** Stores requests that are approved as they are made. */
export async function insertApprovedRequests({ query }: Queries, requests: readonly NewRequest[]): Promise<void> {
  if (requests.length > 0) await query(INSERT, [jsonRows(requests), 'approved']);
}

/** Stores pending requests. Returns them in no particular order. */
export async function insertPendingRequests(
  { query }: Queries,
  requests: readonly NewRequest[],
): Promise<TransferRequest[]> {
  if (requests.length === 0) return [];
  return query<TransferRequest>(
    `WITH stored AS (
       ${INSERT} RETURNING *
     ), waiting AS (
       INSERT INTO pending_requests (request_id, user_id, app_id, expires_at) SELECT id, user_id, app_id, expires_at FROM stored
     )
     SELECT ${REQUEST_COLUMNS} FROM stored AS requests`,
    [jsonRows(requests), 'pending'],
  );
}

/** How many requests of each of these apps wait for the decision of its user, up to `most`, in the order of the pairs. */
export async function countPending(
  { query }: Queries,
  pairs: readonly Pick<TransferRequest, 'userId' | 'appId'>[],
  most: number,
): Promise<number[]> {
  if (pairs.length === 0) return [];
  const rows = await query<{ count: bigint }>(
    // The subquery reads the clock once, so that the time can bound the index scan.
    `SELECT (SELECT count(*) FROM (
               SELECT FROM pending_requests WHERE user_id = asked.user_id AND app_id = asked.app_id
                  AND expires_at > (SELECT clock_timestamp()) LIMIT $3) AS waiting) AS count
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (user_id, app_id, place) ORDER BY place`,
    [...columnsOf(pairs, ['userId', 'appId']), most],
  );
  return rows.map(({ count }) => Number(count));
}

const lookupWith =
  (find: typeof findRequests): Lookup<TransferRequest> =>
  async (db, ids) => {
    const requests = await find(db, ids as readonly RequestId[]);
    return new Map(requests.map((request) => [request.id, request]));
  };
const REQUESTS = lookupWith(findRequests);
const CONFIRMED_REQUESTS = lookupWith(findConfirmedRequests);

/**
 * One request, in a statement that other calls share; null if there is none. Games give goods for an approved one, so it is answered when no
 * failover takes the approval back. `submitted` and later states need no confirmation: only confirmed transactions are sent.
 */
export async function lookUpRequest(db: Lookups, id: RequestId): Promise<TransferRequest | null> {
  const request = await db.lookUp(REQUESTS, id);
  return request?.status === 'approved' ? db.lookUp(CONFIRMED_REQUESTS, id) : request;
}

/** The requests with these ids, in no particular order. Unknown ids are left out. */
export async function findRequests({ query }: Queries, ids: readonly RequestId[]): Promise<TransferRequest[]> {
  return liveFirst(
    ids,
    ({ id }) => id,
    (some) => query<TransferRequest>(`SELECT ${REQUEST_COLUMNS} FROM ONLY requests WHERE id = ANY($1::uuid[])`, [some]),
    (some) => query<TransferRequest>(`SELECT ${REQUEST_COLUMNS} FROM requests WHERE id = ANY($1::uuid[])`, [some]),
  );
}

/** As {@link findRequests}, of those that are not archived, when a standby has everything that the statement has read. */
export async function findConfirmedRequests({ query }: Queries, ids: readonly RequestId[]): Promise<TransferRequest[]> {
  const rows = await query<TransferRequest & { readonly confirmed: true }>(
    `SELECT ${REQUEST_COLUMNS}, ${CONFIRMED} FROM ONLY requests WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return rows.map(({ confirmed, ...request }) => request);
}

/** The current status of these requests. Unknown ids are left out. */
export async function readStatuses(
  { query }: Queries,
  ids: readonly RequestId[],
): Promise<Map<RequestId, RequestStatus>> {
  type Row = { readonly id: RequestId; readonly status: RequestStatus };
  const rows = await liveFirst<RequestId, Row>(
    ids,
    ({ id }) => id,
    (some) => query<Row>(`SELECT id, ${STATUS} AS status FROM ONLY requests WHERE id = ANY($1::uuid[])`, [some]),
    (some) => query<Row>(`SELECT id, ${STATUS} AS status FROM requests WHERE id = ANY($1::uuid[])`, [some]),
  );
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Pending requests that have expired without that being recorded. */
export async function findOutOfTime({ query }: Queries, limit: number): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(
    `SELECT request_id AS id FROM pending_requests WHERE expires_at <= (SELECT clock_timestamp())
      ORDER BY expires_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** A user's requests before the one with the id `before`, newest first. */
export async function listRequestsOfUser(
  { query }: Queries,
  userId: UserId,
  before: RequestId | null,
  limit: number,
): Promise<TransferRequest[]> {
  return query<TransferRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE user_id = $1 AND (created_at, id) < ${placeOfRequest('$2')}
      ORDER BY created_at DESC, id DESC LIMIT $3`,
    [userId, before ?? HIGHEST_ID, limit],
  );
}

/** Which of these requests nobody has ended, whether their time is over or not. */
export async function waitingAmong({ query }: Queries, ids: readonly RequestId[]): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(
    'SELECT request_id AS id FROM pending_requests WHERE request_id = ANY($1::uuid[])',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** The requests of an app that its users may still approve or decline. */
export async function findPendingRequestsOfApp({ query }: Queries, appId: AppId): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(
    'SELECT request_id AS id FROM pending_requests WHERE app_id = $1 AND expires_at > clock_timestamp()',
    [appId],
  );
  return rows.map(({ id }) => id);
}

/** The requests that the user may still approve or decline. */
export async function findPendingRequestsOfUser({ query }: Queries, userId: UserId): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(
    'SELECT request_id AS id FROM pending_requests WHERE user_id = $1 AND expires_at > clock_timestamp()',
    [userId],
  );
  return rows.map(({ id }) => id);
}
