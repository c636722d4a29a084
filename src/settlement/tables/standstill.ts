import type { Queries } from '../../db/database.ts';

/** How transfers complete, in milliseconds. */
export type Completing = {
  /** For how long none has completed while one waited; 0 if none waits. */
  readonly waitedMs: number;
  /** What transfers took from being accepted to being posted; null if none has completed yet. */
  readonly usualMs: number | null;
};

/** The usual is what the faster quarter of these took, so that a standstill does not become the usual itself. */
const SAMPLE = 400;

/** Reads past the open transfers, and some hundred rows. */
export async function readCompleting({ query }: Queries): Promise<Completing> {
  const [row] = await query<Completing>(
    `WITH newest AS MATERIALIZED (
            SELECT created_at, decided_block FROM transfers WHERE status = 'completed' ORDER BY created_at DESC, id DESC LIMIT $1),
          completed AS MATERIALIZED (
            SELECT created_at, posted_at FROM newest
              JOIN LATERAL (SELECT posted_at FROM postings WHERE block_number = decided_block LIMIT 1) AS posting ON true)
     SELECT CASE WHEN oldest IS NULL THEN 0 ELSE 1000 * extract(epoch FROM clock_timestamp() - greatest(oldest, last)) END::float8 AS "waitedMs",
            "usualMs"
       FROM (SELECT min(accepted_at) AS oldest FROM open_transfers) AS waiting,
            (SELECT max(posted_at) AS last,
                    1000 * percentile_cont(0.25) WITHIN GROUP (ORDER BY extract(epoch FROM posted_at - created_at)::float8) AS "usualMs"
               FROM completed) AS done`,
    [SAMPLE],
  );
  return row!;
}

/** So many times the usual is a standstill. The alert of monitoring/alerts.yml says the same. */
const TIMES = 3;
const LEAST_MS = 60_000;
/** Where nothing has completed yet. */
export const UNKNOWN_USUAL_MS = 60_000;

/** Whether payments stand still, whatever the cause. */
export function isStandstill({ waitedMs, usualMs }: Completing): boolean {
  return waitedMs > Math.max(LEAST_MS, TIMES * (usualMs ?? UNKNOWN_USUAL_MS));
}
