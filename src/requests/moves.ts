import type { RequestId } from '../base/ids.ts';
import type { Query, Tx } from '../db/database.ts';
import { COLUMNS, type RequestRow, type TransferRequest, toRequest } from './requests.ts';
import { type Actor, MOVES, type RequestEvent } from './states.ts';

/** A request after a move. */
export type MovedRequest = TransferRequest & {
  readonly movedAt: Date;
  /** How many moves apps are told of it has made, this one included where it is such a one. */
  readonly sequence: number;
};

/**
 * Moves those of the requests that are in a state the event applies to, and records each move. Returns the moved ones.
 * One conditional statement: of two racing events exactly one finds the state it needs.
 *
 * Use-cases call usecases/system/move-requests.ts, which tells the apps as well.
 */
export async function storeMoves(
  { query }: Tx,
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
): Promise<MovedRequest[]> {
  if (ids.length === 0) return [];
  const { from, to, told } = MOVES[event];
  const rows = await query<RequestRow & { sequence: number; moved_at: Date }>(
    `WITH locked AS (
       SELECT id, status, actor
         FROM requests JOIN unnest($1::uuid[], $2::text[]) AS moving (id, actor) USING (id)
        WHERE status = ANY($3)
        ORDER BY id FOR NO KEY UPDATE OF requests
     ), moved AS (
       UPDATE requests SET status = $4, sequence = sequence + $6 FROM locked WHERE requests.id = locked.id
       RETURNING requests.*, locked.status AS from_status, locked.actor
     ), recorded AS (
       INSERT INTO request_moves (request_id, event, from_status, to_status, actor)
       SELECT id, $5, from_status, $4, actor FROM moved
       RETURNING request_id, at AS moved_at
     )
     SELECT ${COLUMNS}, sequence, moved_at FROM moved JOIN recorded ON request_id = id ORDER BY id`,
    [ids, ids.map((_, i) => (typeof actors === 'string' ? actors : actors[i])), from, to, event, told ? 1 : 0],
  );
  return rows.map((row) => ({ ...toRequest(row), sequence: row.sequence, movedAt: row.moved_at }));
}

/** When those of the requests that ever were completed last were. */
export async function completedAt(
  { query }: { query: Query },
  ids: readonly RequestId[],
): Promise<Map<RequestId, Date>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ request_id: string; at: Date }>(
    `SELECT DISTINCT ON (request_id) request_id, at FROM request_moves
      WHERE request_id = ANY($1::uuid[]) AND event = 'complete' ORDER BY request_id, id DESC`,
    [ids],
  );
  return new Map(rows.map((row) => [row.request_id as RequestId, row.at]));
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
