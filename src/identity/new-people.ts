import type { Queries } from '../db/database.ts';

/** How many users there were new in a step (UTC). */
export type NewPeople = {
  readonly starts: Date;
  /** Created by apps. Null in an hour: they are counted by day. */
  readonly guests: number | null;
  /** Guests who became full users. */
  readonly becameFull: number;
  /** Full users who signed up themselves. */
  readonly signedUp: number;
};

/** New users from `from` until `until`, by steps of an hour, a day or a month. Steps without any are left out. */
export async function readNewPeople(
  { query }: Queries,
  step: 'hour' | 'day' | 'month',
  from: Date,
  until: Date,
): Promise<NewPeople[]> {
  return query<NewPeople>(
    `SELECT starts, CASE WHEN $1 <> 'hour' THEN coalesce(sum(guests), 0)::float8 END AS guests,
            coalesce(sum(became_full), 0)::float8 AS "becameFull", coalesce(sum(signed_up), 0)::float8 AS "signedUp"
       FROM (SELECT date_trunc($1, became_full_at, 'UTC') AS starts, 0 AS guests, count(*) FILTER (WHERE guest_of IS NOT NULL) AS became_full,
                    count(*) FILTER (WHERE guest_of IS NULL) AS signed_up
               FROM users WHERE became_full_at >= $2 AND became_full_at < $3 GROUP BY 1
             UNION ALL
             SELECT date_trunc($1, day::timestamp AT TIME ZONE 'UTC', 'UTC'), sum(count), 0, 0
               FROM guest_counts
              WHERE $1 <> 'hour' AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date AND day < ($3::timestamptz AT TIME ZONE 'UTC') GROUP BY 1)
         AS each
      GROUP BY starts ORDER BY starts`,
    [step, from, until],
  );
}
