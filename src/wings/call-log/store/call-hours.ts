import type { AppId } from '../../../base/ids.ts';
import type { Queries } from '../../../db/database.ts';
import type { KeptRows } from '../../../db/keep-until.ts';
import type { CallHour, ErrorHour } from '../../../service/call-counts.ts';

/** How many calls of one outcome an app had in one hour. Each call is counted, whether or not its row is kept. */
export type CallCount = {
  readonly appId: AppId;
  /** The beginning of the hour. */
  readonly hour: Date;
  /** 0: the caller disconnected before the response. */
  readonly status: number;
  /** A problem's code, or an error of OAuth; empty for any other call. */
  readonly code: string;
  readonly calls: number;
};

const KEPT_DAYS = 90;

/** The counts of an app by hour, from the hour of `from` on, oldest first. Hours without a call are left out. */
export function readCallHours({ query }: Queries, appId: AppId, from: Date): Promise<CallHour[]> {
  return query<CallHour>(
    `SELECT hour, sum(calls)::float8 AS calls, coalesce(sum(calls) FILTER (WHERE status BETWEEN 400 AND 499), 0)::float8 AS refused,
            coalesce(sum(calls) FILTER (WHERE status >= 500), 0)::float8 AS failed
       FROM api_call_hours WHERE app_id = $1 AND hour >= date_trunc('hour', $2::timestamptz, 'UTC') GROUP BY hour ORDER BY hour`,
    [appId, from],
  );
}

/** The same for calls with an error code, by hour and code. */
export function readErrorHours({ query }: Queries, appId: AppId, from: Date): Promise<ErrorHour[]> {
  return query<ErrorHour>(
    `SELECT hour, code, sum(calls)::float8 AS count
       FROM api_call_hours WHERE app_id = $1 AND hour >= date_trunc('hour', $2::timestamptz, 'UTC') AND code <> ''
      GROUP BY hour, code ORDER BY hour, count DESC, code`,
    [appId, from],
  );
}

/** Deletes counts that are older than 90 days, at most `most`. Returns how many. */
export async function forgetOldHours({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `WITH RECURSIVE owners AS (
       (SELECT app_id FROM api_call_hours ORDER BY app_id LIMIT 1)
       UNION ALL
       SELECT (SELECT app_id FROM api_call_hours WHERE app_id > owners.app_id ORDER BY app_id LIMIT 1) FROM owners WHERE app_id IS NOT NULL
     ), old AS (
       SELECT oldest.* FROM owners CROSS JOIN LATERAL (
         SELECT app_id, hour, status, code FROM api_call_hours AS hours
          WHERE hours.app_id = owners.app_id AND hour < now() - make_interval(days => $1)
          ORDER BY hour LIMIT $2 FOR UPDATE SKIP LOCKED
       ) AS oldest LIMIT $2
     )
     DELETE FROM api_call_hours AS hours USING old
      WHERE hours.app_id = old.app_id AND hours.hour = old.hour AND hours.status = old.status AND hours.code = old.code RETURNING 1`,
    [KEPT_DAYS, most],
  );
  return rows.length;
}

export const KEPT_CALL_HOURS: KeptRows = {
  table: 'api_call_hours',
  what: 'counts of calls of an hour, by app and result',
  kept: `${KEPT_DAYS} days after the hour`,
  why: 'the log of calls',
  forget: forgetOldHours,
};
