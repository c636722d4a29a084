import { type AppId, lowestIdAt, type RequestId, type UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import { COLUMNS, type RequestRow, STATUS, type TransferRequest, toRequest } from './requests.ts';
import type { RequestStatus } from './states.ts';

type Queries = { readonly query: Query };

/** Whose requests: an app's, or those of an app that concern one user. */
export type Whose = { readonly appId: AppId; readonly userId: UserId | null };

/** `createdFrom` is within the range, `createdBefore` is not; null: unbounded. */
export type CreatedRange = { readonly createdFrom: Date | null; readonly createdBefore: Date | null };

export type RequestFilter = CreatedRange & { readonly statuses: readonly RequestStatus[] | null };

/** A part of a list that is walked by id, newest first: ids from `from` to `to`, both included. */
export type Stretch = {
  readonly from: string;
  readonly to: string;
  /** Older ones are left for the next page. */
  readonly more: boolean;
};

/** Requests one page looks at: what a filter leaves of them is the page, be it nothing. */
const MOST_LOOKED_AT = 5_000;
/** An id is made by the service's clock, a moment before `created_at` by the database's. What belongs to a request may follow a day later. */
const SLACK_MS = 2 * 24 * 60 * 60 * 1000;
const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// Two texts and not one with an OR, so that each is planned for its own index.
const OF_APP = 'app_id = $1 AND $2::text IS NULL';
const OF_USER = 'app_id = $1 AND user_id = $2';
const own = ({ userId }: Whose) => (userId === null ? OF_APP : OF_USER);

/** How far a page may look, going down from the request `start`: bounded, however long the history and however rare what is looked for. */
export async function stretchOf(
  { query }: Queries,
  whose: Whose,
  start: RequestId | null,
  { createdFrom, createdBefore }: CreatedRange,
): Promise<Stretch> {
  const lowest = createdFrom ? lowestIdAt(new Date(createdFrom.getTime() - SLACK_MS)) : LOWEST;
  const bound = createdBefore ? lowestIdAt(new Date(createdBefore.getTime() + SLACK_MS)) : HIGHEST;
  const to = start !== null && start < bound ? start : bound;
  const [edge] = await query<{ id: string }>(
    `SELECT id FROM requests WHERE ${own(whose)} AND id <= $3 AND id >= $4 ORDER BY id DESC OFFSET $5 LIMIT 1`,
    [whose.appId, whose.userId, to, lowest, MOST_LOOKED_AT - 1],
  );
  return { from: edge?.id ?? lowest, to, more: edge !== undefined };
}

/** The requests of a stretch that the filter leaves, newest first, at most `most`; with `before` those before that one. */
export async function listRequests(
  { query }: Queries,
  whose: Whose,
  { from, to }: Stretch,
  before: RequestId | null,
  { statuses, createdFrom, createdBefore }: RequestFilter,
  most: number,
): Promise<TransferRequest[]> {
  const rows = await query<RequestRow>(
    `SELECT ${COLUMNS} FROM requests WHERE ${own(whose)} AND id <= $3 AND id >= $4
        AND ($9::uuid IS NULL OR id < $9) AND ($5::text[] IS NULL OR ${STATUS} = ANY($5))
        AND ($6::timestamptz IS NULL OR created_at >= $6) AND ($7::timestamptz IS NULL OR created_at < $7)
      ORDER BY id DESC LIMIT $8`,
    [whose.appId, whose.userId, to, from, statuses, createdFrom, createdBefore, most, before],
  );
  return rows.map(toRequest);
}
