import type { Settings } from '../../config/settings.ts';
import type { Queries } from '../../db/database.ts';
import { readPostedTimes } from '../../ledger/postings.ts';

/** How transfers complete, in milliseconds. */
export type Completing = {
  /** For how long none has completed while one waited that no later one has overtaken; 0 if none waits. */
  readonly waitedMs: number;
  /** What transfers took from being accepted to being posted; before the first, what they take on a chain with slow blocks. */
  readonly usualMs: number;
  /** None has completed yet. */
  readonly isFirst: boolean;
};

/** The usual is what the faster quarter of these took, so that a standstill does not become the usual itself. */
const SAMPLE = 400;

/** Ethereum's, and some time to be sent and mined. */
const SLOW_BLOCK_MS = 12_000;
const MINED_WITHIN_MS = 30_000;

/** Reads past the open transfers, and some hundred rows. */
export async function readCompleting(
  db: Queries,
  { completeAfter }: Pick<Settings, 'completeAfter'>,
): Promise<Completing> {
  const newest = await db.query<{ acceptedAt: Date; block: bigint }>(
    `SELECT created_at AS "acceptedAt", decided_block AS block FROM ONLY transfers WHERE status = 'completed'
      ORDER BY created_at DESC, id DESC LIMIT $1`,
    [SAMPLE],
  );
  const [[waiting], postedAt] = await Promise.all([
    // One that the token refuses waits for the operator, while those after it are paid.
    db.query<{ now: Date; oldest: Date | null }>(
      `SELECT clock_timestamp() AS now, min(accepted_at) AS oldest FROM open_transfers WHERE accepted_at > coalesce($1::timestamptz, '-infinity')`,
      [newest[0]?.acceptedAt ?? null],
    ),
    readPostedTimes(db, [...new Set(newest.map(({ block }) => block))]),
  ]);
  const completed = newest.flatMap(({ acceptedAt, block }) => {
    const at = postedAt.get(block)?.getTime();
    return at ? [{ at, took: at - acceptedAt.getTime() }] : [];
  });
  const { now, oldest } = waiting!;
  const since = Math.max(oldest?.getTime() ?? 0, ...completed.map(({ at }) => at));
  const took = completed.map((one) => one.took).sort((a, b) => a - b);
  return {
    waitedMs: oldest ? now.getTime() - since : 0,
    usualMs: took[Math.floor(took.length / 4)] ?? MINED_WITHIN_MS + completeAfter * SLOW_BLOCK_MS,
    isFirst: took.length === 0,
  };
}

/** So many times the usual is a standstill. The alert of monitoring/alerts.yml says the same. */
const TIMES = 3;
const LEAST_MS = 60_000;
/** Whether payments stand still, whatever the cause. */
export function isStandstill({ waitedMs, usualMs }: Completing): boolean {
  return waitedMs > Math.max(LEAST_MS, TIMES * usualMs);
}
