import { createHash } from 'node:crypto';
import type { Queries } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

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

export const KEPT_ATTEMPTS = keepUntil(
  { from: 'FROM attempts', key: 'key', since: 'resets_at' },
  { what: 'how often somebody tried something', kept: 'until their limit starts again', why: 'limits of attempts' },
);

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

export const KEPT_BUDGETS = keepUntil(
  { from: 'FROM attempt_budgets', key: 'key', since: 'forget_at' },
  { what: 'when somebody tried something', kept: 'until their limit does not count it', why: 'limits of attempts' },
);

/** The key under which an attempt is counted. */
export function keyHash(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
