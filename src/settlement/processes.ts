import type { Query } from '../db/database.ts';

/**
 * Records that this process is alive. Returns how many are (by the database's clock), including itself, and how many of
 * them come before it in the order in which they share.
 */
export async function seeProcess(
  { query }: { query: Query },
  id: string,
  lifeSeconds: number,
): Promise<{ alive: number; before: number }> {
  // A statement does not see its own changes, so this process is counted separately. A process that is being recorded
  // as alive right now is locked, and not deleted.
  const [row] = await query<{ alive: bigint; before: bigint }>(
    `WITH seen AS (
       INSERT INTO processes (id, seen_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
     ), dead AS (
       SELECT id FROM processes
        WHERE id <> $1 AND abs(extract(epoch FROM clock_timestamp() - seen_at)) > $2
          FOR UPDATE SKIP LOCKED
     ), forgotten AS (
       DELETE FROM processes USING dead WHERE processes.id = dead.id
     )
     SELECT 1 + count(*) AS alive, count(*) FILTER (WHERE id < $1) AS before FROM processes
      WHERE id <> $1 AND abs(extract(epoch FROM clock_timestamp() - seen_at)) <= $2`,
    [id, lifeSeconds],
  );
  return { alive: Number(row!.alive), before: Number(row!.before) };
}

/** Removes a process that ends in order, so that the others take over its share at once. */
export async function forgetProcess({ query }: { query: Query }, id: string): Promise<void> {
  await query('DELETE FROM processes WHERE id = $1', [id]);
}
