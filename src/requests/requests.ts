import { type Address, asAddress } from '../base/address.ts';
import type { AppId, RequestId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';
import { type Actor, MOVES, type RequestEvent, type RequestStatus } from './states.ts';

/** `user`: an app asks a user for quarters. `payout`: an app pays a user; decided the moment it is made. */
export type RequestSource = 'user' | 'payout';

export type TransferRequest = {
  readonly id: RequestId;
  readonly appId: AppId;
  readonly userId: UserId;
  readonly source: RequestSource;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly description: string;
  /** As callers see it: a pending request past its time is `expired`, even before that is recorded. */
  readonly status: RequestStatus;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

type RequestRow = {
  id: string;
  app_id: string;
  user_id: string;
  source: RequestSource;
  from_address: string;
  to_address: string;
  amount: bigint;
  description: string;
  status: RequestStatus;
  created_at: Date;
  expires_at: Date;
};

const STATUS = `CASE WHEN status = 'pending' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END AS status`;
const COLUMNS = `id, app_id, user_id, source, from_address, to_address, amount, description, created_at, expires_at,
  ${STATUS}`;

function toRequest(row: RequestRow): TransferRequest {
  return {
    id: row.id as RequestId,
    appId: row.app_id as AppId,
    userId: row.user_id as UserId,
    source: row.source,
    from: asAddress(row.from_address),
    to: asAddress(row.to_address),
    amount: asQuarters(row.amount),
    description: row.description,
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export type NewRequest = Pick<
  TransferRequest,
  'id' | 'appId' | 'userId' | 'source' | 'from' | 'to' | 'amount' | 'description'
> & { readonly ttlSeconds: number };

/** Stores requests in their first state, and records how they came about. */
export async function insertRequests(
  { query }: { query: Query },
  requests: readonly NewRequest[],
  status: 'pending' | 'approved',
): Promise<TransferRequest[]> {
  if (requests.length === 0) return [];
  const rows = await query<RequestRow>(
    `WITH stored AS (
       INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, description, expires_at, status)
       SELECT id, app_id, user_id, source, from_address, to_address, amount, description,
              clock_timestamp() + make_interval(secs => ttl), $10
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::float8[])
           AS new (id, app_id, user_id, source, from_address, to_address, amount, description, ttl)
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
      requests.map((r) => r.ttlSeconds),
      status,
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
    `SELECT id, ${STATUS} FROM requests WHERE id = ANY($1::uuid[])`,
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

/**
 * Moves those of the requests that are in a state the event applies to, and records each move.
 * One conditional statement: of two racing events exactly one finds the state it needs. Returns the moved ones.
 */
export async function moveRequests(
  { query }: { query: Query },
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
): Promise<RequestId[]> {
  if (ids.length === 0) return [];
  const { from, to } = MOVES[event];
  const rows = await query<{ request_id: string }>(
    `WITH locked AS (
       SELECT id, status, actor
         FROM requests JOIN unnest($1::uuid[], $2::text[]) AS moving (id, actor) USING (id)
        WHERE status = ANY($3)
        ORDER BY id FOR NO KEY UPDATE OF requests
     ), moved AS (
       UPDATE requests SET status = $4 FROM locked WHERE requests.id = locked.id
       RETURNING requests.id, locked.status AS from_status, locked.actor
     )
     INSERT INTO request_moves (request_id, event, from_status, to_status, actor)
     SELECT id, $5, from_status, $4, actor FROM moved
     RETURNING request_id`,
    [ids, ids.map((_, i) => (typeof actors === 'string' ? actors : actors[i])), from, to, event],
  );
  return rows.map((row) => row.request_id as RequestId);
}

/** Records that pending requests have run out of time. Returns how many. */
export async function expireRequests({ query }: { query: Query }, limit: number): Promise<number> {
  const rows = await query<{ id: string }>(
    `SELECT id FROM requests WHERE status = 'pending' AND expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1`,
    [limit],
  );
  const ids = rows.map((row) => row.id as RequestId);
  return (await moveRequests({ query }, ids, 'expire', 'clock')).length;
}

/** When the request was last completed; null where it never was. */
export async function completedAt({ query }: { query: Query }, id: RequestId): Promise<Date | null> {
  const [row] = await query<{ at: Date }>(
    `SELECT at FROM request_moves WHERE request_id = $1 AND event = 'complete' ORDER BY id DESC LIMIT 1`,
    [id],
  );
  return row?.at ?? null;
}

/** Those of these requests that an app approved, under its user's standing approval. */
export async function approvedByApps(
  { query }: { query: Query },
  ids: readonly RequestId[],
): Promise<ReadonlySet<RequestId>> {
  const rows = await query<{ request_id: string }>(
    `SELECT request_id FROM request_moves
      WHERE request_id = ANY($1::uuid[]) AND event = 'approve' AND starts_with(actor, 'app:')`,
    [ids],
  );
  return new Set(rows.map((row) => row.request_id as RequestId));
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
