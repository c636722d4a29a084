import type { Worker } from 'node:cluster';

const ASKS_EVERY_MS = 5_000;
/** A minute. No step of a worker keeps its event loop for so long, not even on a machine that has far too much to do. */
const MOST_UNANSWERED = 12;

export type HangWatch = {
  /** A worker has answered. */
  answered(worker: Worker): void;
  stop(): void;
};

/**
 * Asks workers again and again, and calls `onHang` with one that has left a minute of questions unanswered: its event loop is blocked, or
 * somebody stopped the process. `ask` sends the question to every worker that can answer, and returns them.
 *
 * It counts questions, not time. If its own timer is late, it begins anew: the machine slept or is starved, and the workers with it.
 */
export function watchForHangs(
  ask: () => readonly Worker[],
  onHang: (worker: Worker) => void,
  everyMs: number = ASKS_EVERY_MS,
): HangWatch {
  let unanswered = new Map<Worker, number>();
  let askedAt = performance.now();
  const timer = setInterval(() => {
    const isLate = performance.now() - askedAt > 2 * everyMs;
    askedAt = performance.now();
    const before = unanswered;
    // Workers that have ended are no longer asked, and so forgotten.
    unanswered = new Map(ask().map((worker) => [worker, isLate ? 1 : (before.get(worker) ?? 0) + 1]));
    for (const [worker, count] of unanswered) if (count > MOST_UNANSWERED) onHang(worker);
  }, everyMs);
  timer.unref();
  return {
    answered: (worker) => void unanswered.delete(worker),
    stop: () => clearInterval(timer),
  };
}
