import type { Query } from '../db/database.ts';

/**
 * Counts an attempt and returns the number of attempts, including this one. The counter resets `minutes` after the first. `key`: SHA-256
 * of what is counted. Concurrent attempts get different numbers, even in several processes.
 */
export async function addGuess(
  { query }: { query: Query },
  { key, minutes }: { readonly key: Buffer; readonly minutes: number },
): Promise<number> {
  const [row] = await query<{ count: number }>(
    `INSERT INTO guesses (key, count, resets_at) VALUES ($1, 1, now() + make_interval(mins => $2))
     ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN guesses.resets_at <= now() THEN 1 ELSE guesses.count + 1 END,
       resets_at = CASE WHEN guesses.resets_at <= now() THEN excluded.resets_at ELSE guesses.resets_at END
     RETURNING count`,
    [key, minutes],
  );
  return row!.count;
}

/** Deletes counters that would reset, at most `most`. Returns how many. */
export async function forgetOldGuesses({ query }: { query: Query }, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM guesses WHERE key IN (
       SELECT key FROM guesses WHERE resets_at <= now() ORDER BY resets_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [most],
  );
  return rows.length;
}
