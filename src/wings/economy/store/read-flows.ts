import type { AppId } from '../../../base/ids.ts';
import type { Queries } from '../../../db/database.ts';
import { type KeptRows, keepUntil } from '../../../db/keep-until.ts';
import type { Flow } from '../../../ledger/flows.ts';

/** The steps that flows are summed by, and that a range is put together from. */
export type StepKind = 'hour' | 'day' | 'month';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const [BEGINNING, END_OF_TIME] = [new Date(0), new Date(Date.UTC(9999))];

/**
 * What moved from `from` to `until`, both whole hours in UTC, by app, kind and parties. `from` null: from the first block on. `until`
 * null: to the last that is counted. `appId`: of this app alone. Reads months where whole months are asked for, days between them, and hours at the end. Hours are kept for
 * 400 days ({@link KEPT_ECONOMY_HOURS}).
 */
export async function sumFlows(
  db: Queries,
  from: Date | null,
  until: Date | null,
  appId: AppId | null = null,
): Promise<Flow[]> {
  return db.query<Flow>(
    `SELECT kind, from_party AS from, to_party AS to, nullif(app_id, '') AS "appId", sum(count)::float8 AS count,
            sum(amount)::bigint AS amount
       FROM economy_flows
      WHERE ((step = 'month' AND starts >= $1 AND starts < $2) OR (step = 'day' AND starts >= $3 AND starts < $4)
             OR (step = 'hour' AND starts >= $5 AND starts < $6)) ${appId === null ? '' : 'AND app_id = $7'}
      GROUP BY app_id, kind, from_party, to_party HAVING sum(count) <> 0 OR sum(amount) <> 0`,
    [...partsOf(from ?? BEGINNING, until ?? END_OF_TIME), ...(appId === null ? [] : [appId])],
  );
}

/** What moved in one hour. */
export type HourFlow = Flow & { readonly hour: Date };

/** What moved from and to one app in each hour from `from` on. */
export async function readHourFlows({ query }: Queries, appId: AppId, from: Date): Promise<HourFlow[]> {
  return query<HourFlow>(
    `SELECT starts AS hour, kind, from_party AS from, to_party AS to, app_id AS "appId", count::float8 AS count, amount
       FROM economy_flows
      WHERE app_id = $1 AND step = 'hour' AND starts >= $2 AND (count <> 0 OR amount <> 0)`,
    [appId, from],
  );
}

/** How many distinct players paid from the beginning of a period until a moment within it: in all apps (null), and in each. */
export type PayerCounts = ReadonlyMap<AppId | null, number>;

export async function countPayers(
  { query }: Queries,
  period: 'day' | 'week' | 'month' | 'year',
  from: Date,
  until: Date,
): Promise<PayerCounts> {
  const rows = await query<{ appId: AppId | null; payers: number }>(
    `SELECT nullif(app_id, '') AS "appId",
            sum(CASE $7 WHEN 'day' THEN of_day WHEN 'week' THEN of_week WHEN 'month' THEN of_month ELSE of_year END)::float8 AS payers
       FROM economy_new_payers
      WHERE (step = 'month' AND starts >= $1 AND starts < $2) OR (step = 'day' AND starts >= $3 AND starts < $4)
         OR (step = 'hour' AND starts >= $5 AND starts < $6)
      GROUP BY app_id`,
    [...partsOf(from, until), period],
  );
  return new Map(rows.map(({ appId, payers }) => [appId, payers]));
}

/** A step of a period, over all apps. */
export type StepFlow = Omit<Flow, 'appId'> & { readonly starts: Date };

/** What moved in each step from `from` to `until`, over all apps. A log between two apps is counted once, as `app` to `app`. */
export async function readStepFlows({ query }: Queries, step: StepKind, from: Date, until: Date): Promise<StepFlow[]> {
  return query<StepFlow>(
    `SELECT starts, kind, from_party AS from, CASE to_party WHEN 'other-app' THEN 'app' ELSE to_party END AS to,
            sum(count)::float8 AS count, sum(amount)::bigint AS amount
       FROM economy_flows
      WHERE step = $1 AND starts >= $2 AND starts < $3 AND from_party <> 'other-app'
      GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0 OR sum(amount) <> 0`,
    [step, from, until],
  );
}

export type StepPayers = Readonly<Record<'day' | 'week' | 'month' | 'year', number>> & { readonly starts: Date };

/** How many players paid in each step who were new in its day, week, month and year, in all apps. */
export async function readStepPayers(
  { query }: Queries,
  step: StepKind,
  from: Date,
  until: Date,
): Promise<StepPayers[]> {
  return query<StepPayers>(
    `SELECT starts, of_day::float8 AS day, of_week::float8 AS week, of_month::float8 AS month, of_year::float8 AS year
       FROM economy_new_payers WHERE step = $1 AND starts >= $2 AND starts < $3 AND app_id = ''`,
    [step, from, until],
  );
}

const AGED = { since: 'starts', only: "step = 'hour'", age: '400 days' } as const;

/** Hours alone. Days and months are kept for ever. */
export const KEPT_ECONOMY_HOURS: readonly KeptRows[] = [
  keepUntil(
    { from: 'FROM economy_flows', key: 'step, starts, app_id, kind, from_party, to_party', ...AGED },
    { what: 'what moved in an hour', kept: 'after the hour', why: 'figures of the economy by hour' },
  ),
  keepUntil(
    { from: 'FROM economy_new_payers', key: 'step, starts, app_id', ...AGED },
    { what: 'how many new payers an hour had', kept: 'after the hour', why: 'figures of the economy by hour' },
  ),
];

/** Whole months, then whole days, then whole hours that make up a range, as pairs of bounds. Weeks begin amid months: they are days. */
function partsOf(from: Date, until: Date): [Date, Date, Date, Date, Date, Date] {
  const beginsMonth = from.getUTCDate() === 1 && from.getTime() % DAY_MS === 0;
  const lastMonth = new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth()));
  const months = beginsMonth && lastMonth > from ? lastMonth : from;
  const lastDay = new Date(Math.floor(until.getTime() / DAY_MS) * DAY_MS);
  const days = lastDay > months ? lastDay : months;
  return [from, months, months, days, days, until];
}
