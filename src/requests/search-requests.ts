import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries } from '../db/database.ts';
import { REQUEST_COLUMNS, type TransferRequest } from './requests.ts';

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

// The limit comes before every condition. So whatever is searched for, a statement reads at most one step of this user's rows, by the
// index requests_by_user.
const withStep = ({ exact }: Step) =>
  `WITH step AS (SELECT * FROM requests WHERE user_id = $1 AND id ${exact ? '=' : '<'} $2 ORDER BY id DESC LIMIT $3)`;

const parametersOf = ({ userId, before, size }: Step) => [userId, before, size];

/** The last request of a full step; null if the user has no more than the step. */
export async function endOfStep(
  { query }: Queries,
  { userId, before, size }: Step,
): Promise<Pick<TransferRequest, 'id' | 'createdAt'> | null> {
  const [row] = await query<Pick<TransferRequest, 'id' | 'createdAt'>>(
    `SELECT id, created_at AS "createdAt" FROM requests WHERE user_id = $1 AND id < $2 ORDER BY id DESC OFFSET $3 LIMIT 1`,
    [userId, before, size - 1],
  );
  return row ?? null;
}

/** The apps of a step's requests. */
export async function appsOfStep({ query }: Queries, step: Step): Promise<AppId[]> {
  const rows = await query<{ appId: AppId }>(
    `${withStep(step)} SELECT DISTINCT app_id AS "appId" FROM step`,
    parametersOf(step),
  );
  return rows.map(({ appId }) => appId);
}

/** The ids of a step's requests. */
export async function idsOfStep({ query }: Queries, step: Step): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(`${withStep(step)} SELECT id FROM step`, parametersOf(step));
  return rows.map(({ id }) => id);
}

/** The first `limit` requests of a step that fulfil the filter, newest first. */
export async function searchStep(
  { query }: Queries,
  step: Step,
  { kind, appId, ids, says }: RequestSearch,
  limit: number,
): Promise<TransferRequest[]> {
  return query<TransferRequest>(
    `${withStep(step)} SELECT ${REQUEST_COLUMNS} FROM step AS requests
      WHERE ${kind ? KINDS[kind] : 'true'} AND ($5::text IS NULL OR app_id = $5) AND ($6::uuid[] IS NULL OR id = ANY($6))
        AND ($8::text IS NULL OR app_id = ANY($7::text[]) OR strpos(lower(description), lower($8)) > 0 OR amount = $9)
      ORDER BY id DESC LIMIT $4`,
    [...parametersOf(step), limit, appId, ids, says?.appIds ?? [], says?.text, says?.amount],
  );
}
