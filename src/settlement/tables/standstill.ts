import type { Queries } from '../../db/database.ts';
import { readPostedTimes } from '../../ledger/postings.ts';

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
export async function readCompleting(db: Queries): Promise<Completing> {
  const [[waiting], newest] = await Promise.all([
    db.query<{ now: Date; oldest: Date | null }>(
      'SELECT clock_timestamp() AS now, min(accepted_at) AS oldest FROM open_transfers',
    ),
    db.query<{ acceptedAt: Date; block: bigint }>(
      `SELECT created_at AS "acceptedAt", decided_block AS block FROM transfers WHERE status = 'completed'
        ORDER BY created_at DESC, id DESC LIMIT $1`,
      [SAMPLE],
    ),
  ]);
  const postedAt = await readPostedTimes(db, [...new Set(newest.map(({ block }) => block))]);
  const completed = newest.flatMap(({ acceptedAt, block }) => {
    const at = postedAt.get(block)?.getTime();
    return at ? [{ at, took: at - acceptedAt.getTime() }] : [];
  });
  const { now, oldest } = waiting!;
  const since = Math.max(oldest?.getTime() ?? 0, ...completed.map(({ at }) => at));
  const took = completed.map((one) => one.took).sort((a, b) => a - b);
  return { waitedMs: oldest ? now.getTime() - since : 0, usualMs: took[Math.floor(took.length / 4)] ?? null };
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
