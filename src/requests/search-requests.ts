import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries } from '../db/database.ts';
import { placeOfRequest, REQUEST_COLUMNS, type TransferRequest } from './requests.ts';

/** `payments`, `received`: quarters went or came, or are on their way. `failed`: none moved, and none will. */
export type RequestKind = 'payments' | 'received' | 'waiting' | 'failed';

const MOVES = `status IN ('approved', 'submitted', 'completed')`;
const KINDS: Record<RequestKind, string> = {
  payments: `source = 'user' AND ${MOVES}`,
  received: `source <> 'user' AND ${MOVES}`,
  waiting: `(status IN ('approved', 'submitted') OR status = 'pending' AND expires_at > clock_timestamp())`,
  failed: `(status IN ('failed', 'declined', 'expired', 'cancelled') OR status = 'pending' AND expires_at <= clock_timestamp())`,
};

/** What a request must fulfil. A missing part is fulfilled by all. */
export type RequestSearch = {
  readonly kind?: RequestKind | undefined;
  readonly appId?: AppId | undefined;
  /** One of these. */
  readonly ids?: readonly RequestId[];
  /** Its app is one of these, its description has the text (in any case), or its amount is this one. */
  readonly says?: { readonly appIds: readonly AppId[]; readonly text: string; readonly amount: Quarters | null };
};

/** A user's next `size` requests before the one with the id `before`, newest first. `exact`: that one alone. */
export type Step = {
  readonly userId: UserId;
  readonly before: string;
  readonly size: number;
  readonly exact?: true;
};

/** Where a search stopped before it had read everything. */
export type Reached = Pick<TransferRequest, 'id' | 'createdAt'>;

// The limit comes before every condition. So whatever is searched for, a statement reads at most one step of this user's rows, by the
// index requests_by_user.
const rowsOf = ({ exact }: Step) =>
  `SELECT * FROM requests WHERE user_id = $1 AND ${exact ? 'id = $2' : `(created_at, id) < ${placeOfRequest('$2')}`}
    ORDER BY created_at DESC, id DESC LIMIT $3`;

const parametersOf = ({ userId, before, size }: Step) => [userId, before, size];

/** The apps of a step's requests. */
export async function appsOfStep({ query }: Queries, step: Step): Promise<AppId[]> {
  const rows = await query<{ appId: AppId }>(
    `SELECT DISTINCT app_id AS "appId" FROM (${rowsOf(step)}) AS step`,
    parametersOf(step),
  );
  return rows.map(({ appId }) => appId);
}

/** The ids of a step's requests. */
export async function idsOfStep({ query }: Queries, step: Step): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(`SELECT id FROM (${rowsOf(step)}) AS step`, parametersOf(step));
  return rows.map(({ id }) => id);
}

/**
 * The first `limit` requests of a step that fulfil the filter, newest first. `end`: the last request that was read; null if the page is
 * full before it, or if the user has no more than the step.
 *
 * One statement reads both. If a request arrived between two, the step would end one request earlier, and the next step would begin
 * below a request that no statement had searched.
 */
export async function searchStep(
  { query }: Queries,
  step: Step,
  { kind, appId, ids, says }: RequestSearch,
  limit: number,
): Promise<{ readonly requests: TransferRequest[]; readonly end: Reached | null }> {
  const rows = await query<TransferRequest & { matches: boolean; isEnd: boolean }>(
    `SELECT ${REQUEST_COLUMNS}, matches, is_end AS "isEnd" FROM (
       SELECT *, row_number() OVER (ORDER BY created_at DESC, id DESC) = $3 AS is_end,
              (${kind ? KINDS[kind] : 'true'} AND ($5::text IS NULL OR app_id = $5) AND ($6::uuid[] IS NULL OR id = ANY($6))
               AND ($8::text IS NULL OR app_id = ANY($7::text[]) OR strpos(lower(description), lower($8)) > 0 OR amount = $9)
              ) IS TRUE AS matches
         FROM (${rowsOf(step)}) AS step
     ) AS requests WHERE matches OR is_end ORDER BY created_at DESC, id DESC LIMIT $4`,
    [...parametersOf(step), limit, appId, ids, says?.appIds ?? [], says?.text, says?.amount],
  );
  const requests = rows.flatMap(({ matches, isEnd, ...request }) => (matches ? [request] : []));
  return { requests, end: requests.length < limit ? (rows.find(({ isEnd }) => isEnd) ?? null) : null };
}
