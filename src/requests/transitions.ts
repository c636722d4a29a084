import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import { liveFirst } from '../db/live-first.ts';
import type { TransferRequest } from './requests.ts';
import { type Actor, type RequestEvent, TRANSITIONS } from './states.ts';

/** A request that has made a transition. `sequence`: how many of its transitions the app was notified of, including this one. */
export type TransitionedRequest = Pick<TransferRequest, 'id' | 'appId' | 'source'> & { readonly sequence: number };

/**
 * Applies the event to those requests whose state allows it, records each transition with the time of the transaction, and returns these
 * requests in no particular order. One conditional statement: of two racing events exactly one finds the state it needs.
 *
 * `sentAt`: for each request when a node took its transaction, a time in text; null if none did. A request that is still stored as
 * `approved` records `submit` with that time before the event.
 *
 * Features call settlement/transition-requests.ts, which notifies the apps as well.
 */
export async function storeTransitions(
  { query }: Tx,
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
  sentAt: readonly (string | null)[] | null = null,
): Promise<TransitionedRequest[]> {
  if (ids.length === 0) return [];
  const { from, to, notified } = TRANSITIONS[event];
  const transitions = typeof actors === 'string' ? [`${event} ${actors}`] : actors.map((actor) => `${event} ${actor}`);
  const change = (from as readonly string[]).includes('pending') ? END_WAITING : CHANGE;
  const [, changed] = await Promise.all([
    // An UPDATE takes its rows in any order.
    query('SELECT FROM ONLY requests WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [ids]),
    query<TransitionedRequest>(change, [ids, transitions, sentAt ?? [], from, to, notified ? 1 : 0]),
  ]);
  return changed;
}

// No index has a column that this changes, so the rows are updated in place. One transition may be that of all requests.
const IS_SENT_NOW = `status = 'approved' AND given.sent_at IS NOT NULL`;
const TRANSITION = 'coalesce(given.transition, ($2::text[])[1])';
const CHANGE = `UPDATE ONLY requests SET status = $5, sequence = sequence + $6,
        transitions = transitions || CASE WHEN ${IS_SENT_NOW} THEN ARRAY['submit chain', ${TRANSITION}] ELSE ARRAY[${TRANSITION}] END,
        transition_times = transition_times || CASE WHEN ${IS_SENT_NOW} THEN ARRAY[least(given.sent_at, now()), now()] ELSE ARRAY[now()] END
   FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS given (id, transition, sent_at)
  WHERE requests.id = given.id AND status = ANY($4)
  RETURNING requests.id, app_id AS "appId", source, sequence`;
const END_WAITING = `WITH changed AS (${CHANGE}), ended AS (
    DELETE FROM pending_requests WHERE request_id = ANY(ARRAY(SELECT id FROM changed)))
  SELECT * FROM changed`;

/** When a request last made a transition that matches a condition on `transition` and `at`; null if it never did. */
function lastTime(condition: string): string {
  return `(SELECT max(at) FROM unnest(transitions, transition_times) AS made (transition, at) WHERE ${condition})`;
}

/** When each of these requests was last completed. Requests that never were are left out. */
export async function completedAt({ query }: Queries, ids: readonly RequestId[]): Promise<Map<RequestId, Date>> {
  if (ids.length === 0) return new Map();
  type Row = { readonly id: RequestId; readonly at: Date | null };
  const at = lastTime(`transition LIKE 'complete %' OR transition LIKE 'recover %'`);
  const rows = await liveFirst<RequestId, Row>(
    ids,
    ({ id }) => id,
    (some) => query<Row>(`SELECT id, ${at} AS at FROM ONLY requests WHERE id = ANY($1::uuid[])`, [some]),
    (some) => query<Row>(`SELECT id, ${at} AS at FROM requests WHERE id = ANY($1::uuid[])`, [some]),
  );
  return new Map(rows.flatMap(({ id, at }) => (at ? [[id, at]] : [])));
}

/** Which of these requests an app approved under its user's mandate. */
export async function approvedByApps({ query }: Queries, ids: readonly RequestId[]): Promise<ReadonlySet<RequestId>> {
  const rows = await query<{ id: RequestId }>(
    `SELECT id FROM requests WHERE id = ANY($1::uuid[]) AND 'approve app:' || app_id = ANY(transitions)`,
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
            LATERAL (SELECT max(${lastTime(`transition = 'approve user:' || user_id AND at < $2`)}) AS approved_at
                       FROM requests WHERE user_id = given.id AND app_id = $1 AND source = 'user') AS last
      WHERE approved_at IS NOT NULL`,
    [app.appId, app.before, app.users],
  );
}

/** One step in the life of a request, in its order. `at`: when it was recorded, or for `submit` when a node took the transaction. */
export type Transition = { readonly event: RequestEvent | 'create'; readonly actor: Actor; readonly at: Date };

/** What a request is about and what has happened to it, oldest first. */
export type RequestHistory = Pick<TransferRequest, 'id' | 'source' | 'amount'> & {
  /** How many of its transitions its app was notified of. */
  readonly sequence: number;
  readonly transitions: readonly Transition[];
};

/** The histories of requests. Unknown ids are left out. */
export async function readHistories(
  { query }: Queries,
  ids: readonly RequestId[],
): Promise<Map<RequestId, RequestHistory>> {
  if (ids.length === 0) return new Map();
  type Row = Omit<RequestHistory, 'transitions'> & { readonly made: string[]; readonly times: Date[] };
  const rows = await query<Row>(
    `SELECT id, source, amount, sequence, transitions AS made, transition_times AS times FROM requests WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return new Map(
    rows.map(({ made, times, ...request }) => {
      const transitions = made.map((text, i) => {
        const [event, actor] = text.split(' ', 2) as [Transition['event'], Actor];
        return { event, actor, at: times[i]! };
      });
      return [request.id, { ...request, transitions }];
    }),
  );
}
