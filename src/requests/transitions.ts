import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import { REQUEST_COLUMNS, type TransferRequest } from './requests.ts';
import { type Actor, type RequestEvent, TRANSITIONS } from './states.ts';

/** A request after a transition. */
export type TransitionedRequest = TransferRequest & {
  readonly transitionedAt: Date;
  /** How many of its transitions the app was notified of, including this one if it is notified. */
  readonly sequence: number;
};

/**
 * Applies the event to those requests whose state allows it, records each transition, and returns these requests. One conditional
 * statement: of two racing events exactly one finds the state it needs.
 *
 * Features call settlement/transition-requests.ts, which notifies the apps as well.
 */
export async function storeTransitions(
  { query }: Tx,
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
): Promise<TransitionedRequest[]> {
  if (ids.length === 0) return [];
  const { from, to, notified } = TRANSITIONS[event];
  return query<TransitionedRequest>(
    `WITH locked AS (
       SELECT id, status, actor
         FROM requests JOIN unnest($1::uuid[], $2::text[]) AS requested (id, actor) USING (id)
        WHERE status = ANY($3)
        ORDER BY id FOR NO KEY UPDATE OF requests
     ), changed AS (
       UPDATE requests SET status = $4, sequence = sequence + $6 FROM locked WHERE requests.id = locked.id
       RETURNING requests.*, locked.status AS from_status, locked.actor
     ), recorded AS (
       INSERT INTO request_moves (request_id, event, from_status, to_status, actor)
       SELECT id, $5, from_status, $4, actor FROM changed
       RETURNING request_id, at AS "transitionedAt"
     )
     SELECT ${REQUEST_COLUMNS}, sequence, "transitionedAt" FROM changed JOIN recorded ON request_id = id ORDER BY id`,
    [ids, ids.map((_, i) => (typeof actors === 'string' ? actors : actors[i])), from, to, event, notified ? 1 : 0],
  );
}

/** When each of these requests was last completed. Requests that never were are left out. */
export async function completedAt({ query }: Queries, ids: readonly RequestId[]): Promise<Map<RequestId, Date>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: RequestId; at: Date }>(
    `SELECT DISTINCT ON (request_id) request_id AS id, at FROM request_moves
      WHERE request_id = ANY($1::uuid[]) AND event = 'complete' ORDER BY request_id, request_moves.id DESC`,
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Which of these requests an app approved under its user's mandate. */
export async function approvedByApps({ query }: Queries, ids: readonly RequestId[]): Promise<ReadonlySet<RequestId>> {
  const rows = await query<{ id: RequestId }>(
    `SELECT request_id AS id FROM request_moves
      WHERE request_id = ANY($1::uuid[]) AND event = 'approve' AND starts_with(actor, 'app:')`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** A user who approved a request of an app in person, and when they last did. */
export type Approver = { readonly userId: UserId; readonly approvedAt: Date };

/** Which of these users approved a request of this app in person before a moment. Reads their requests only. */
export async function findApprovers(
  { query }: Queries,
  app: { appId: AppId; before: Date; users: readonly UserId[] },
): Promise<Approver[]> {
  return query<Approver>(
    `SELECT given.id AS "userId", approved_at AS "approvedAt"
       FROM unnest($3::text[]) AS given (id),
            LATERAL (SELECT max(at) AS approved_at
                       FROM requests JOIN request_moves ON request_id = requests.id
                      WHERE user_id = given.id AND app_id = $1 AND source = 'user'
                        AND event = 'approve' AND actor = 'user:' || user_id AND at < $2) AS last
      WHERE approved_at IS NOT NULL`,
    [app.appId, app.before, app.users],
  );
}
