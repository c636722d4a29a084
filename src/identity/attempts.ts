import { createHash } from 'node:crypto';
import type { Queries } from '../db/database.ts';

/**
 * Counts an attempt and returns the number of attempts, including this one. The counter resets `minutes` after the first. `key`: SHA-256
 * of what is counted. Concurrent attempts get different numbers, even in several processes.
 */
export async function addAttempt(
  { query }: Queries,
  { key, minutes }: { readonly key: Buffer; readonly minutes: number },
): Promise<number> {
  const [row] = await query<{ count: number }>(
    `INSERT INTO attempts (key, count, resets_at) VALUES ($1, 1, now() + make_interval(mins => $2))
     ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN attempts.resets_at <= now() THEN 1 ELSE attempts.count + 1 END,
       resets_at = CASE WHEN attempts.resets_at <= now() THEN excluded.resets_at ELSE attempts.resets_at END
     RETURNING count`,
    [key, minutes],
  );
  return row!.count;
}

/** Deletes counters that would reset, at most `most`. Returns how many. */
export async function forgetOldAttempts({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM attempts WHERE key IN (
       SELECT key FROM attempts WHERE resets_at <= now() ORDER BY resets_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [most],
  );
  return rows.length;
}

/** At most `most` attempts within any `minutes`. `key`: SHA-256 of the target and of the callers who share the budget. */
export type Budget = { readonly key: Buffer; readonly most: number; readonly minutes: number };

/** `count`: how many attempts are taken within the time, including this one. `at`: identifies this one. */
export type Taken = { readonly count: number; readonly at: string };

/**
 * Takes one attempt from a budget before it is made, so that concurrent attempts cannot exceed the budget, even in several
 * processes. Null, and nothing is counted, if it is used up.
 */
export async function takeFromBudget({ query }: Queries, { key, most, minutes }: Budget): Promise<Taken | null> {
  const [row] = await query<Taken>(
    `INSERT INTO attempt_budgets AS b (key, taken, forget_at) VALUES ($1, ARRAY[now()], now() + make_interval(mins => $3))
     ON CONFLICT (key) DO UPDATE SET
       taken = ARRAY(SELECT moment FROM unnest(b.taken) moment WHERE moment > now() - make_interval(mins => $3)) || excluded.taken,
       forget_at = excluded.forget_at
       WHERE (SELECT count(*) FROM unnest(b.taken) moment WHERE moment > now() - make_interval(mins => $3)) < $2
     RETURNING cardinality(taken) AS count, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.USZ') AS at`,
    [key, most, minutes],
  );
  return row ?? null;
}

/** Returns an attempt, because it succeeded or was not made. */
export async function giveBackToBudget({ query }: Queries, { key }: Budget, { at }: Taken): Promise<void> {
  // Two attempts of the same moment count alike, so either may be removed.
  await query(
    `UPDATE attempt_budgets SET
       taken = taken[:array_position(taken, $2::timestamptz) - 1] || taken[array_position(taken, $2::timestamptz) + 1:]
      WHERE key = $1 AND $2::timestamptz = ANY(taken)`,
    [key, at],
  );
}

/** Deletes budgets without recent attempts, at most `most`. Returns how many. */
export async function forgetOldBudgets({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM attempt_budgets WHERE key IN (
       SELECT key FROM attempt_budgets WHERE forget_at <= now() ORDER BY forget_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [most],
  );
  return rows.length;
}

/** The key under which an attempt is counted. */
export function keyHash(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
