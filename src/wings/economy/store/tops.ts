import type { Address } from '../../../base/address.ts';
import type { AppId } from '../../../base/ids.ts';
import type { Queries, Tx } from '../../../db/database.ts';

/** Of a period's payers, so many are kept: in all apps, and in each app for months and years. */
const TOP_OF_ALL = 100;
const TOP_OF_APP = 20;
const KEPT = `CASE app_id WHEN '' THEN ${TOP_OF_ALL} ELSE ${TOP_OF_APP} END`;

/** A payer's row as rows of its periods, each with what was paid in it. */
const PERIODS_OF_ROW = `
  (VALUES ('day', date_trunc('day', last_day::timestamp)::date, day_count, day_amount),
          ('week', date_trunc('week', last_day::timestamp)::date, week_count, week_amount),
          ('month', date_trunc('month', last_day::timestamp)::date, month_count, month_amount),
          ('year', date_trunc('year', last_day::timestamp)::date, year_count, year_amount)) AS sums (period, starts, count, amount)`;

/**
 * Part of a bite's statement: adds those of its payers (`now_paid`) who reach the last that is kept. Amounts only grow in a period, so nobody
 * else can. `reaching` reach one of them at least; nearly nobody does, so only their rows are taken apart.
 */
export const ADD_TOPS = `
  least AS MATERIALIZED (
    SELECT ranked.* FROM bite CROSS JOIN unnest(ARRAY['day', 'week', 'month', 'year']) AS now (name) CROSS JOIN LATERAL (
      SELECT period, starts, app_id, amount, row_number() OVER (PARTITION BY app_id ORDER BY amount DESC) AS rank
        FROM economy_tops WHERE period = name AND starts = date_trunc(name, day::timestamp)::date) AS ranked
     WHERE rank = ${KEPT}),
  bars AS MATERIALIZED (
    SELECT app_id, min(amount) FILTER (WHERE period = 'day') AS of_day, min(amount) FILTER (WHERE period = 'week') AS of_week,
           min(amount) FILTER (WHERE period = 'month') AS of_month, min(amount) FILTER (WHERE period = 'year') AS of_year
      FROM least GROUP BY 1),
  reaching AS MATERIALIZED (
    SELECT now_paid.* FROM now_paid LEFT JOIN bars USING (app_id)
     WHERE month_amount >= coalesce(of_month, 0) OR year_amount >= coalesce(of_year, 0)
        OR app_id = '' AND (day_amount >= coalesce(of_day, 0) OR week_amount >= coalesce(of_week, 0))),
  add_tops AS (
    INSERT INTO economy_tops (period, starts, app_id, payer, count, amount)
    SELECT period, starts, app_id, payer, sums.count, sums.amount
      FROM reaching CROSS JOIN LATERAL ${PERIODS_OF_ROW} LEFT JOIN least USING (period, starts, app_id)
     WHERE (app_id = '' OR period IN ('month', 'year')) AND sums.amount >= coalesce(least.amount, 0)
    ON CONFLICT (period, starts, app_id, payer) DO UPDATE SET count = excluded.count, amount = excluded.amount)`;

/** Deletes those who are not among the first any more, of the periods that have this day. */
export async function trimTops({ query }: Tx, day: Date): Promise<void> {
  // What the count asked of the planner would read all periods here.
  await query(`SELECT set_config('enable_nestloop', 'on', true), set_config('enable_hashjoin', 'off', true)`);
  await query(
    `DELETE FROM economy_tops USING (
       SELECT ranked.* FROM unnest(ARRAY['day', 'week', 'month', 'year']) AS now (name) CROSS JOIN LATERAL (
         SELECT period, starts, app_id, payer, row_number() OVER (PARTITION BY app_id ORDER BY amount DESC, payer) AS rank
           FROM economy_tops WHERE period = name AND starts = date_trunc(name, $1::timestamptz AT TIME ZONE 'UTC')::date) AS ranked
        WHERE rank > ${KEPT}) AS surplus
      WHERE economy_tops.period = surplus.period AND economy_tops.starts = surplus.starts AND economy_tops.app_id = surplus.app_id
        AND economy_tops.payer = surplus.payer`,
    [day],
  );
}

/** Finds the first again, after bites of this day and later ones were taken back. Reads all payers. `day` null: nothing is left. */
export async function findTopsAgain({ query }: Tx, day: Date | null): Promise<void> {
  await query(
    `DELETE FROM economy_tops
      WHERE $1::timestamptz IS NULL OR starts >= date_trunc(period, $1::timestamptz AT TIME ZONE 'UTC')::date`,
    [day],
  );
  await query(
    `INSERT INTO economy_tops (period, starts, app_id, payer, count, amount)
     SELECT period, starts, app_id, payer, count, amount FROM (
       SELECT period, starts, app_id, payer, count, amount,
              row_number() OVER (PARTITION BY period, app_id ORDER BY amount DESC, payer) AS rank
         FROM economy_payers CROSS JOIN LATERAL ${PERIODS_OF_ROW}
        WHERE starts = date_trunc(period, $1::timestamptz AT TIME ZONE 'UTC')::date AND (app_id = '' OR period IN ('month', 'year'))) AS ranked
      WHERE rank <= ${KEPT}`,
    [day],
  );
}

export type TopPayer = { readonly address: Address; readonly count: number; readonly amount: bigint };

/**
 * Who paid the most in the period that begins at `from`: in an app, or in all (null). The first 100 are known; in an app, the first 20 of
 * months and years. Equal ones are ordered by address.
 */
export async function readTopPayers(
  { query }: Queries,
  { period, from }: { readonly period: 'day' | 'week' | 'month' | 'year'; readonly from: Date },
  appId: AppId | null,
  limit: number,
): Promise<TopPayer[]> {
  return query<TopPayer>(
    `SELECT payer AS address, count::float8 AS count, amount FROM economy_tops
      WHERE period = $1 AND starts = $2 AND app_id = $3 ORDER BY amount DESC, payer LIMIT $4`,
    [period, from.toISOString().slice(0, 10), appId ?? '', limit],
  );
}
