import type { Queries } from '../../src/db/database.ts';

/**
 * The columns that say when the service will do something by itself. A test walks all columns with a time, and demands that a new one is either
 * here or among those that nothing waits for.
 */
export const DUE: Readonly<Record<string, string>> = {
  pending_requests: 'expires_at',
  deliveries: 'next_attempt_at',
  mails: 'next_attempt_at',
};

const DUE_AT = Object.entries(DUE)
  .map(([table, column]) => `SELECT ${column} AS at FROM ${table}`)
  .join(' UNION ALL ');

/**
 * The first moment after `from` and before `until` at which something is due, in milliseconds; null if there is none. What follows within `grain`
 * milliseconds waits for the last of it.
 */
export async function nextDue({ query }: Queries, from: number, until: number, grain: number): Promise<number | null> {
  const [row] = await query<{ at: number | null }>(
    // A database counts microseconds: the clock has to be past them.
    `WITH due AS (SELECT at FROM (${DUE_AT}) AS all_due WHERE at > $1 AND at < $2)
     SELECT ceil(extract(epoch FROM max(at)) * 1000)::float8 AS at FROM due
      WHERE at < (SELECT min(at) FROM due) + make_interval(secs => $3)`,
    [new Date(from), new Date(until), grain / 1000],
  );
  return row?.at ?? null;
}

/** How many things are due at this moment. */
export async function countDue({ query }: Queries, now: number): Promise<bigint> {
  const [row] = await query<{ count: bigint }>(`SELECT count(*) FROM (${DUE_AT}) AS all_due WHERE at <= $1`, [
    new Date(now),
  ]);
  return row!.count;
}
