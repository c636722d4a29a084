import type { AppId, UserId } from '../../../base/ids.ts';
import { columnsOf, type Queries, type Tx } from '../../../db/database.ts';
import { type KeptRows, keepUntil } from '../../../db/keep-until.ts';
import type { RefusedKind } from '../../../service/moments.ts';

/** How often payments of an app were refused for one reason. */
export type RefusalCount = {
  readonly appId: AppId;
  readonly kind: RefusedKind;
  /** The problem's code. */
  readonly code: string;
  readonly count: number;
};

/** Payments of a player that were refused for one reason. */
export type PlayerRefusal = {
  readonly appId: AppId;
  readonly kind: RefusedKind;
  readonly code: string;
  readonly times: number;
  readonly lastAt: Date;
};

export type NewRefusals = {
  /** `day`: any moment of it. */
  readonly counts: readonly (RefusalCount & { readonly day: Date })[];
  readonly players: readonly (PlayerRefusal & { readonly userId: UserId })[];
};

/** Adds up refusals. It adds in the order of the keys, so that processes cannot deadlock. */
export async function storeRefusals({ query }: Tx, { counts, players }: NewRefusals): Promise<void> {
  await query(
    `INSERT INTO refusal_counts AS known (step, starts, app_id, kind, code, count)
     SELECT step, date_trunc(step, day AT TIME ZONE 'UTC')::date, app_id, kind, code, sum(count)
       FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS new (day, app_id, kind, code, count)
            CROSS JOIN (VALUES ('day'), ('month')) AS steps (step)
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
     ON CONFLICT (step, starts, app_id, kind, code) DO UPDATE SET count = known.count + excluded.count`,
    columnsOf(counts, ['day', 'appId', 'kind', 'code', 'count']),
  );
  await query(
    `INSERT INTO player_refusals AS known (user_id, app_id, kind, code, times, last_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
         AS new (user_id, app_id, kind, code, times, last_at) ORDER BY 1, 2, 3, 4
     ON CONFLICT (user_id, app_id, kind, code)
       DO UPDATE SET times = known.times + excluded.times, last_at = greatest(known.last_at, excluded.last_at)`,
    columnsOf(players, ['userId', 'appId', 'kind', 'code', 'times', 'lastAt']),
  );
}

/** The refusals of the days or months from `from` until `until`, by app, kind and reason, the most frequent first. */
export async function readRefusals(
  { query }: Queries,
  step: 'day' | 'month',
  from: Date,
  until: Date,
): Promise<RefusalCount[]> {
  return query<RefusalCount>(
    `SELECT app_id AS "appId", kind, code, sum(count)::float8 AS count FROM refusal_counts
      WHERE step = $1 AND starts >= $2::date AND starts < $3::date
      GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`,
    [step, from.toISOString().slice(0, 10), until.toISOString().slice(0, 10)],
  );
}

/** What was refused to a player in the last 30 days, newest first. */
export async function refusalsOf({ query }: Queries, userId: UserId, most: number): Promise<PlayerRefusal[]> {
  return query<PlayerRefusal>(
    `SELECT app_id AS "appId", kind, code, times::float8 AS times, last_at AS "lastAt" FROM player_refusals
      WHERE user_id = $1 ORDER BY last_at DESC, app_id, kind, code LIMIT $2`,
    [userId, most],
  );
}

export async function deleteRefusalsOf({ query }: Queries, userId: UserId): Promise<void> {
  await query('DELETE FROM player_refusals WHERE user_id = $1', [userId]);
}

export const KEPT_REFUSALS: readonly KeptRows[] = [
  keepUntil(
    { from: 'FROM player_refusals', key: 'user_id, app_id, kind, code', since: 'last_at', age: '30 days' },
    { what: 'what was refused to a player in an app, by code', kept: 'after the last time', why: 'helping the player' },
  ),
  // 400 days after the day's end, as hours of the economy. Months are kept for ever.
  keepUntil(
    {
      from: 'FROM refusal_counts',
      key: 'step, starts, app_id, kind, code',
      since: 'starts',
      only: "step = 'day'",
      age: '401 days',
    },
    { what: 'counts of refusals of a day', kept: 'after its beginning', why: 'figures of the economy' },
  ),
];
