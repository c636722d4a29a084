import type { AppId, EventId } from '../base/ids.ts';
import { jsonRows, type Queries, type Tx } from '../db/database.ts';
import { type KeptRows, keepUntil } from '../db/keep-until.ts';

/** What happened to an app's requests. Changes of it may be negative: a reorganisation takes completions back. */
export type HourCounts = {
  /** Decisions about requests to players. */
  readonly approved: number;
  readonly declined: number;
  readonly expired: number;
  readonly cancelled: number;
  /** On the chain. */
  readonly failed: number;
  /** Completed: players paid the app. */
  readonly payments: number;
  readonly payouts: number;
  readonly refunds: number;
};

export const NO_COUNTS: HourCounts = {
  ...{ approved: 0, declined: 0, expired: 0, cancelled: 0, failed: 0 },
  ...{ payments: 0, payouts: 0, refunds: 0 },
};

export type AppHour = HourCounts & { readonly hour: Date };

/** How many completions of an hour took a time of this bucket from their approval; see views/statistics/delays.ts. */
export type DelayCount = { readonly hour: Date; readonly bucket: number; readonly count: number };

/** Up to which event an app is counted. */
export type Counted = {
  readonly position: bigint;
  readonly eventId: EventId;
  /** Nothing is missing from here on, if it happened before everything was counted the last time. */
  readonly wholeSince: Date;
};

const EVENT_DAYS = 30;

/**
 * Locks the counting of an app, so that two never count an event twice. Nothing but counting waits for this lock. Events live for 30 days:
 * if nobody has counted for longer, what came before is missing.
 */
export async function lockCounting({ query }: Tx, appId: AppId): Promise<Counted> {
  await query('INSERT INTO app_counts (app_id) VALUES ($1) ON CONFLICT DO NOTHING', [appId]);
  const [row] = await query<Counted>(
    `SELECT position, event_id AS "eventId",
            CASE WHEN counted_until < now() - make_interval(days => $2) THEN now() - make_interval(days => $2)
                 ELSE whole_since END AS "wholeSince"
       FROM app_counts WHERE app_id = $1 FOR NO KEY UPDATE`,
    [appId, EVENT_DAYS],
  );
  return row!;
}

/** Records that an app is counted up to an event, of that time. `until`: null if there is nothing left to count. */
export async function setCounted(
  { query }: Tx,
  appId: AppId,
  { position, eventId, wholeSince }: Counted,
  until: Date | null,
): Promise<void> {
  await query(
    `UPDATE app_counts SET position = $2, event_id = $3, whole_since = $4, counted_until = coalesce($5, now()) WHERE app_id = $1`,
    [appId, position, eventId, wholeSince, until],
  );
}

/** Adds to an app's hours, in the transaction that has locked its counting. */
export async function addToHours(
  { query }: Tx,
  appId: AppId,
  hours: readonly AppHour[],
  delays: readonly DelayCount[],
): Promise<void> {
  await Promise.all([
    query(
      `INSERT INTO app_hours AS was (app_id, hour, approved, declined, expired, cancelled, failed, payments, payouts, refunds)
       SELECT $1, * FROM jsonb_to_recordset($2)
         AS new (hour timestamptz, approved int, declined int, expired int, cancelled int, failed int, payments int, payouts int,
                 refunds int)
       ON CONFLICT (app_id, hour) DO UPDATE
          SET approved = was.approved + excluded.approved, declined = was.declined + excluded.declined,
              expired = was.expired + excluded.expired, cancelled = was.cancelled + excluded.cancelled,
              failed = was.failed + excluded.failed, payments = was.payments + excluded.payments,
              payouts = was.payouts + excluded.payouts, refunds = was.refunds + excluded.refunds`,
      [appId, jsonRows(hours)],
    ),
    query(
      `INSERT INTO app_hour_delays AS was (app_id, hour, bucket, count)
       SELECT $1, * FROM jsonb_to_recordset($2) AS new (hour timestamptz, bucket smallint, count int)
       ON CONFLICT (app_id, hour, bucket) DO UPDATE SET count = was.count + excluded.count`,
      [appId, jsonRows(delays)],
    ),
  ]);
}

/** An app's hours from `from` on in which something happened, oldest first. */
export async function readAppHours({ query }: Queries, appId: AppId, from: Date): Promise<AppHour[]> {
  return query<AppHour>(
    `SELECT hour, approved, declined, expired, cancelled, failed, payments, payouts, refunds FROM app_hours
      WHERE app_id = $1 AND hour >= $2 ORDER BY hour`,
    [appId, from],
  );
}

/** How long completions took, from `from` on. */
export async function readDelays({ query }: Queries, appId: AppId, from: Date): Promise<DelayCount[]> {
  return query<DelayCount>(
    'SELECT hour, bucket, count FROM app_hour_delays WHERE app_id = $1 AND hour >= $2 AND count > 0',
    [appId, from],
  );
}

// Longer than two periods of a month, which the console compares.
const AGED = { since: 'hour', age: '90 days' } as const;

export const KEPT_APP_HOURS: readonly KeptRows[] = [
  keepUntil(
    { from: 'FROM app_hour_delays', key: 'app_id, hour, bucket', ...AGED },
    { what: "how long an app's payments of an hour took", kept: 'after the hour', why: 'statistics of the app' },
  ),
  keepUntil(
    { from: 'FROM app_hours', key: 'app_id, hour', ...AGED },
    { what: "counts of an app's payments of an hour", kept: 'after the hour', why: 'statistics of the app' },
  ),
];
