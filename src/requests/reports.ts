import { randomUUIDv7 } from 'node:crypto';
import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** Why a player may report a payment request. The page offers them in this order. */
export const REASONS = ['wrong-payment', 'pretends', 'other'] as const;

export type Reason = (typeof REASONS)[number];

export const MAX_REPORT_CHARACTERS = 500;

/** Further reports are dropped: nobody would read more. */
const MOST_OPEN_OF_APP = 1000;

export type Report = {
  readonly id: string;
  readonly appId: AppId;
  readonly requestId: RequestId | null;
  readonly userId: UserId;
  readonly reason: Reason;
  readonly text: string;
  readonly createdAt: Date;
};

export type NewReport = Pick<Report, 'appId' | 'userId' | 'reason' | 'text'> & { readonly requestId: RequestId };

/**
 * Stores a player's report of a request. False if they have reported it before, or if about a thousand reports of its app are open
 * already.
 */
export async function insertReport({ query }: Queries, report: NewReport): Promise<boolean> {
  const rows = await query(
    `INSERT INTO reports (id, app_id, request_id, user_id, reason, text)
     SELECT $1, $2, $3, $4, $5, $6
      WHERE (SELECT count(*) FROM reports WHERE app_id = $2 AND resolved_at IS NULL) < $7
     ON CONFLICT (request_id, user_id) DO NOTHING RETURNING 1`,
    [randomUUIDv7(), report.appId, report.requestId, report.userId, report.reason, report.text, MOST_OPEN_OF_APP],
  );
  return rows.length > 0;
}

/** The oldest open reports, at most `most`. */
export async function listOpenReports({ query }: Queries, most: number): Promise<Report[]> {
  return query<Report>(
    `SELECT id, app_id AS "appId", request_id AS "requestId", user_id AS "userId", reason, text, created_at AS "createdAt"
       FROM reports WHERE resolved_at IS NULL ORDER BY id LIMIT $1`,
    [most],
  );
}

export async function countOpenReports({ query }: Queries): Promise<number> {
  const [row] = await query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM reports WHERE resolved_at IS NULL',
  );
  return row!.count;
}

/** A report with when it was resolved; null: it is open. */
export type KnownReport = Report & { readonly resolvedAt: Date | null };

const KNOWN_COLUMNS = `id, app_id AS "appId", request_id AS "requestId", user_id AS "userId", reason, text,
  created_at AS "createdAt", resolved_at AS "resolvedAt"`;

/** The newest reports of a player, at most `most`. Resolved ones are kept for a year. */
export async function listReportsOf({ query }: Queries, userId: UserId, most: number): Promise<KnownReport[]> {
  return query<KnownReport>(`SELECT ${KNOWN_COLUMNS} FROM reports WHERE user_id = $1 ORDER BY id DESC LIMIT $2`, [
    userId,
    most,
  ]);
}

/** One report, open or resolved; null if there is none. `id`: a UUID. */
export async function findReport({ query }: Queries, id: string): Promise<KnownReport | null> {
  const [row] = await query<KnownReport>(`SELECT ${KNOWN_COLUMNS} FROM reports WHERE id = $1`, [id]);
  return row ?? null;
}

export async function countOpenReportsOn({ query }: Queries, appId: AppId): Promise<number> {
  const [row] = await query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM reports WHERE app_id = $1 AND resolved_at IS NULL',
    [appId],
  );
  return row!.count;
}

/** False if there is no open report with this id. */
export async function storeResolved({ query }: Queries, id: string): Promise<boolean> {
  const rows = await query('UPDATE reports SET resolved_at = now() WHERE id = $1 AND resolved_at IS NULL RETURNING 1', [
    id,
  ]);
  return rows.length > 0;
}

export const KEPT_REPORTS = keepUntil(
  { from: 'FROM reports', key: 'id', since: 'resolved_at', age: '365 days' },
  { what: "a player's report that was resolved", kept: 'after it was resolved', why: 'the page Player reports' },
);
