import { type AppId, HIGHEST_ID, LOWEST_ID, lowestIdAt, type RequestId, type UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries } from '../db/database.ts';
import { placeOfRequest, REQUEST_COLUMNS, type RequestSource, STATUS, type TransferRequest } from './requests.ts';
import type { RequestStatus } from './states.ts';

/** Whose requests to list: an app's, an app's with one user, or, for the operator, a user's with all apps. */
export type Whose =
  | { readonly appId: AppId; readonly userId: UserId | null }
  | { readonly appId: null; readonly userId: UserId };

/** Includes `createdFrom`, excludes `createdBefore`. Null means no bound. */
export type CreatedRange = { readonly createdFrom: Date | null; readonly createdBefore: Date | null };

export type RequestFilter = CreatedRange & {
  readonly statuses: readonly RequestStatus[] | null;
  readonly source?: RequestSource | null;
  readonly amount?: Quarters | null;
  /** A part of the description, in any letter case. */
  readonly text?: string | null;
};

/** A part of a list, newest first: from the place of `from` to that of `to` ({@link placeOfRequest}), both included. */
export type Stretch = {
  readonly from: RequestId;
  readonly to: string;
  /** Whether the list continues with older requests. */
  readonly more: boolean;
};

/** How many requests one page reads. The page has those that match the filter, and may be empty. */
const MOST_LOOKED_AT = 5_000;
/** The service's clock makes ids, the database's makes `created_at` a moment later. A request's transfers may follow a day later. */
const SLACK_MS = 2 * 24 * 60 * 60 * 1000;

// Two conditions instead of one with an OR, so that each query uses its own index.
const OF_APP = 'app_id = $1 AND $2::text IS NULL';
const OF_USER = 'app_id = $1 AND user_id = $2';
const OF_USER_WITH_ALL = '$1::text IS NULL AND user_id = $2';

/** The condition for a {@link Stretch}, with `to` as $3 and `from` as $4. */
export const IN_STRETCH = `(requests.created_at, requests.id) <= ${placeOfRequest('$3')}
        AND (requests.created_at, requests.id) >= ${placeOfRequest('$4')}`;

/** The condition for whose requests to list, with the app as $1 and the user as $2. */
export function whoseRequests({ appId, userId }: Whose): string {
  if (appId === null) return OF_USER_WITH_ALL;
  return userId === null ? OF_APP : OF_USER;
}

/** The part of the list that a page from the request `start` on reads. It is bounded, even if the history is long and matches are rare. */
export async function stretchOf(
  { query }: Queries,
  whose: Whose,
  start: RequestId | null,
  { createdFrom, createdBefore }: CreatedRange,
): Promise<Stretch> {
  const lowest = (createdFrom ? lowestIdAt(new Date(createdFrom.getTime() - SLACK_MS)) : LOWEST_ID) as RequestId;
  const bound = createdBefore ? lowestIdAt(new Date(createdBefore.getTime() + SLACK_MS)) : HIGHEST_ID;
  const to = start ?? bound;
  const [edge] = await query<{ id: RequestId }>(
    `SELECT id FROM requests WHERE ${whoseRequests(whose)} AND ${IN_STRETCH} ORDER BY created_at DESC, id DESC OFFSET $5 LIMIT 1`,
    [whose.appId, whose.userId, to, lowest, MOST_LOOKED_AT - 1],
  );
  return { from: edge?.id ?? lowest, to, more: edge !== undefined };
}

/** The matching requests of a stretch, newest first, at most `most`. With `before`, only those before that request. */
export async function readRequestPage(
  { query }: Queries,
  whose: Whose,
  { from, to }: Stretch,
  before: RequestId | null,
  { statuses, createdFrom, createdBefore, source = null, amount = null, text = null }: RequestFilter,
  most: number,
): Promise<TransferRequest[]> {
  return query<TransferRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE ${whoseRequests(whose)} AND ${IN_STRETCH}
        AND ($9::uuid IS NULL OR (created_at, id) < ${placeOfRequest('$9')}) AND ($5::text[] IS NULL OR ${STATUS} = ANY($5))
        AND ($6::timestamptz IS NULL OR created_at >= $6) AND ($7::timestamptz IS NULL OR created_at < $7)
        AND ($10::text IS NULL OR source = $10) AND ($11::text IS NULL OR strpos(lower(description), lower($11)) > 0)
        AND ($12::bigint IS NULL OR amount = $12)
      ORDER BY created_at DESC, id DESC LIMIT $8`,
    [whose.appId, whose.userId, to, from, statuses, createdFrom, createdBefore, most, before, source, text, amount],
  );
}

/** The refunds of a payment, oldest first, at most `most`. */
export async function listRefunds({ query }: Queries, id: RequestId, most: number): Promise<TransferRequest[]> {
  return query<TransferRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE refund_of = $1 ORDER BY created_at, id LIMIT $2`,
    [id, most],
  );
}

const FIRST = 100;

/**
 * Whether a player has answered a request of the app. It looks at the app's first 100 requests and payouts only: who has more is past the
 * first steps.
 */
export async function hasBeenAnswered({ query }: Queries, appId: AppId): Promise<boolean> {
  const [found] = await query<{ isAnswered: boolean }>(
    `SELECT count(*) = $2 OR coalesce(bool_or(source = 'user' AND status <> 'pending'), false) AS "isAnswered"
       FROM (SELECT source, status FROM requests WHERE app_id = $1 ORDER BY created_at, id LIMIT $2) AS first`,
    [appId, FIRST],
  );
  return found!.isAnswered;
}

/** What these requests are, and whose. */
export async function sourcesOfRequests(
  { query }: Queries,
  ids: readonly RequestId[],
): Promise<Map<RequestId, Pick<TransferRequest, 'source' | 'appId'>>> {
  if (ids.length === 0) return new Map();
  const rows = await query<Pick<TransferRequest, 'id' | 'source' | 'appId'>>(
    'SELECT id, source, app_id AS "appId" FROM requests WHERE id = ANY($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, ...source }) => [id, source]));
}
