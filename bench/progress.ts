import { BLOCK_MS } from './chain.ts';
import type { Stage } from './stage.ts';

/** How many quarters of the apps' accounts are posted at a time (Unix, milliseconds). */
export type Look = { readonly at: number; readonly posted: number };

export type Watch = {
  readonly looks: readonly Look[];
  /** Resolves at the first look that finds exactly this many quarters posted. */
  until(posted: number): Promise<void>;
  stop(): Promise<void>;
};

const LOOK_EVERY_MS = 40;
const PROGRESS_WITHIN_MS = 60_000;

/**
 * Watches payments complete. Completing and posting are one transaction, so their posted balance moves by exactly what is completed.
 * Reading it costs nothing that could be seen in the figures.
 */
export async function watchApps({ database }: Stage, appIds: readonly string[]): Promise<Watch> {
  const looks: Look[] = [];
  let ended = false;
  const look = async () => {
    const { rows } = await database.query<{ posted: string }>({
      name: 'posted',
      text: 'SELECT sum(posted)::bigint AS posted FROM accounts WHERE app_id = ANY ($1)',
      values: [appIds],
    });
    looks.push({ at: performance.timeOrigin + performance.now(), posted: Number(rows[0]!.posted) });
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  await look();
  let fault: Error | undefined;
  const loop = (async () => {
    for (; !ended; await look()) await pause();
  })().catch((error: Error) => {
    fault = error;
  });
  return {
    looks,
    async until(posted) {
      let last: number | undefined;
      for (let deadline = Date.now() + PROGRESS_WITHIN_MS; ; await pause()) {
        if (fault) throw fault;
        const now = looks.at(-1)!.posted;
        if (now === posted) return;
        if (now !== last) deadline = Date.now() + PROGRESS_WITHIN_MS;
        last = now;
        if (Date.now() > deadline) throw new Error(`The posted balance should become ${posted}. It stays at ${now}.`);
      }
    },
    async stop() {
      ended = true;
      await loop;
    },
  };
}

/** One step: so many items so far, at a time. */
export type Step = { readonly at: number; readonly count: number };

/**
 * The times from acceptance to completion. Transfers of one payer complete in the order in which they were accepted, so the n-th
 * completed is the n-th accepted. Returns the share's percentile in milliseconds.
 */
export function waitAt(share: number, accepted: readonly Step[], completed: readonly Step[]): number {
  const waits: { wait: number; weight: number }[] = [];
  let [done, a] = [0, 0];
  for (const { at, count } of completed) {
    while (done < count && a < accepted.length) {
      const upTo = Math.min(count, accepted[a]!.count);
      if (upTo > done) waits.push({ wait: at - accepted[a]!.at, weight: upTo - done });
      done = Math.max(done, upTo);
      if (accepted[a]!.count <= done) a++;
    }
  }
  waits.sort((x, y) => x.wait - y.wait);
  let left = waits.reduce((sum, { weight }) => sum + weight, 0) * share;
  for (const { wait, weight } of waits) {
    left -= weight;
    if (left <= 0) return wait;
  }
  return waits.at(-1)?.wait ?? 0;
}

/** How many items are reached at a time. */
export function countAt(steps: readonly Step[], at: number): number {
  let count = 0;
  for (const step of steps) {
    if (step.at > at) break;
    count = step.count;
  }
  return count;
}

/**
 * Items a second while the load lasts, without its first two blocks. Items come in bursts, one for each block, so the time runs from
 * the end of one burst to the end of another.
 */
export function steadyRate(steps: readonly Step[], began: number, ended: number): number {
  const changes = steps.filter(({ count }, i) => count !== (steps[i - 1]?.count ?? 0));
  const inTime = changes.filter(({ at }) => at >= began + 2 * BLOCK_MS && at <= ended + BLOCK_MS / 2);
  const ends = inTime.filter(({ at }, i) => (inTime[i + 1]?.at ?? Number.POSITIVE_INFINITY) - at > BLOCK_MS / 5);
  const [first, last] = ends.length > 2 ? [ends[0], ends.at(-1)] : [inTime[0], inTime.at(-1)];
  if (!first || !last || first === last) throw new Error('The load was shorter than four blocks.');
  return ((last.count - first.count) * 1000) / (last.at - first.at);
}
