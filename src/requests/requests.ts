import { type Address, asAddress } from '../base/address.ts';
import type { AppId, RequestId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';
import type { RequestStatus } from './states.ts';

type Queries = { readonly query: Query };

/**
 * `user`: an app asks a user for quarters. `payout`: an app pays a user; decided the moment it is made. `refund`: the same, of what
 * the user paid before.
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
  /** The payment that a refund returns quarters of; null for all others. */
  readonly refundOf: RequestId | null;
  /** As callers see it: a pending request past its time is `expired`, even before that is recorded. */
  readonly status: RequestStatus;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

export type RequestRow = {
  id: string;
  app_id: string;
  user_id: string;
  source: RequestSource;
  from_address: string;
  to_address: string;
  amount: bigint;
  description: string;
  refund_of: string | null;
  status: RequestStatus;
  created_at: Date;
  expires_at: Date;
};

/** A request's status at this moment. */
export const STATUS = `CASE WHEN status = 'pending' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END`;

export const COLUMNS = `id, app_id, user_id, source, from_address, to_address, amount, description, refund_of, created_at, expires_at,
  ${STATUS} AS status`;

export function toRequest(row: RequestRow): TransferRequest {
  return {
    id: row.id as RequestId,
    appId: row.app_id as AppId,
    userId: row.user_id as UserId,
    source: row.source,
    from: asAddress(row.from_address),
    to: asAddress(row.to_address),
    amount: asQuarters(row.amount),
    description: row.description,
    refundOf: row.refund_of as RequestId | null,
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export type NewRequest = Pick<
  TransferRequest,
  'id' | 'appId' | 'userId' | 'source' | 'from' | 'to' | 'amount' | 'description'
> & { readonly refundOf?: RequestId; readonly ttlSeconds: number };

/** Stores requests that are approved as they are made, and records how they came about. */
export async function insertApprovedRequests(db: Queries, requests: readonly NewRequest[]): Promise<void> {
  await insert(db, requests, 'approved', null);
}

/**
 * Stores a pending request; null where `most` requests of its app wait for its user already. The user's row must be locked: so
 * nobody else makes one more at the same moment.
 */
export async function insertPendingRequest(
  db: Queries,
  request: NewRequest,
  most: number,
): Promise<TransferRequest | null> {
  const [stored] = await insert(db, [request], 'pending', most);
  return stored ?? null;
}

// The time is a query of its own, so that it is asked for once and the index ends at it.
const FEWER_WAIT = `WHERE (SELECT count(*) FROM (
  SELECT FROM requests WHERE user_id = new.user_id AND app_id = new.app_id AND status = 'pending'
     AND expires_at > (SELECT clock_timestamp()) LIMIT $12) AS waiting) < $12`;

async function insert(
  { query }: Queries,
  requests: readonly NewRequest[],
  status: 'pending' | 'approved',
  mostPending: number | null,
): Promise<TransferRequest[]> {
  if (requests.length === 0) return [];
  const rows = await query<RequestRow>(
    `WITH stored AS (
       INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, description, refund_of, expires_at, status)
       SELECT id, app_id, user_id, source, from_address, to_address, amount, description, refund_of,
              clock_timestamp() + make_interval(secs => ttl), $11
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[],
                     $10::float8[])
           AS new (id, app_id, user_id, source, from_address, to_address, amount, description, refund_of, ttl)
       ${mostPending === null ? '' : FEWER_WAIT}
       RETURNING *
     ), recorded AS (
       INSERT INTO request_moves (request_id, event, to_status, actor)
       SELECT id, 'create', status, 'app:' || app_id FROM stored
     )
     SELECT ${COLUMNS} FROM stored`,
    [
      requests.map((r) => r.id),
      requests.map((r) => r.appId),
      requests.map((r) => r.userId),
      requests.map((r) => r.source),
      requests.map((r) => r.from),
      requests.map((r) => r.to),
      requests.map((r) => r.amount),
      requests.map((r) => r.description),
      requests.map((r) => r.refundOf ?? null),
      requests.map((r) => r.ttlSeconds),
      status,
      ...(mostPending === null ? [] : [mostPending]),
    ],
  );
  return rows.map(toRequest);
}

export async function findRequest({ query }: { query: Query }, id: RequestId): Promise<TransferRequest | null> {
  const [row] = await query<RequestRow>(`SELECT ${COLUMNS} FROM requests WHERE id = $1`, [id]);
  return row ? toRequest(row) : null;
}

/** Those of these requests that there are, in no particular order. */
export async function findRequests({ query }: { query: Query }, ids: readonly RequestId[]): Promise<TransferRequest[]> {
  const rows = await query<RequestRow>(`SELECT ${COLUMNS} FROM requests WHERE id = ANY($1::uuid[])`, [ids]);
  return rows.map(toRequest);
}

/** How far these requests are now; those that are unknown are left out. */
export async function readStatuses(
  { query }: { query: Query },
  ids: readonly RequestId[],
): Promise<Map<RequestId, RequestStatus>> {
  const rows = await query<{ id: string; status: RequestStatus }>(
    `SELECT id, ${STATUS} AS status FROM requests WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, status }) => [id as RequestId, status]));
}

/** Locks requests in the order of their ids and reads them as they now are. */
export async function lockRequests({ query }: Tx, ids: readonly RequestId[]): Promise<Map<RequestId, TransferRequest>> {
  if (ids.length === 0) return new Map();
  const rows = await query<RequestRow>(
    `SELECT ${COLUMNS} FROM requests WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [[...new Set(ids)].sort()],
  );
  return new Map(rows.map((row) => [row.id as RequestId, toRequest(row)]));
}

/** Pending requests that have run out of time, without that being recorded. */
export async function findOutOfTime({ query }: { query: Query }, limit: number): Promise<RequestId[]> {
  const rows = await query<{ id: string }>(
    `SELECT id FROM requests WHERE status = 'pending' AND expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.id as RequestId);
}

/**
 * How much of these payments was returned or is on its way back; those of which nothing is are left out. Exact, and so fit to decide on, while
 * the payments' rows are locked: a refund that failed on the chain counts no more.
 */
export async function refundedOf(
  { query }: { query: Query },
  ids: readonly RequestId[],
): Promise<Map<RequestId, Quarters>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ refund_of: string; sum: bigint }>(
    `SELECT refund_of, sum(amount)::bigint AS sum FROM requests
      WHERE refund_of = ANY($1::uuid[]) AND status <> 'failed' GROUP BY refund_of`,
    [ids],
  );
  return new Map(rows.map((row) => [row.refund_of as RequestId, asQuarters(row.sum)]));
}

/** A user's requests, newest first, those before the one with the id `before`. */
export async function listRequestsOfUser(
  { query }: { query: Query },
  userId: UserId,
  before: RequestId | null,
  limit: number,
): Promise<TransferRequest[]> {
  const rows = await query<RequestRow>(
    `SELECT ${COLUMNS} FROM requests WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
    [userId, before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff', limit],
  );
  return rows.map(toRequest);
}

/** What the user may still decide. */
export async function findPendingRequestsOfUser({ query }: { query: Query }, userId: UserId): Promise<RequestId[]> {
  const rows = await query<{ id: string }>(
    `SELECT id FROM requests WHERE user_id = $1 AND status = 'pending' AND expires_at > clock_timestamp()`,
    [userId],
  );
  return rows.map((row) => row.id as RequestId);
}
