import type { Worker } from 'node:cluster';
import { addCounted, afterItsEnd, type ProcessCounts } from '../../../http/process-counts.ts';

/** A worker that does not answer by then is shown with what it said last. */
const ANSWERS_WITHIN_MS = 1_000;

/** What the workers have counted, as the supervisor knows it. */
export type WorkerCounts = {
  /** A worker has said what it has counted. */
  note(worker: Worker, counted: ProcessCounts): void;
  /** What it said last stays in the total, so that no counter falls when a worker dies. */
  ended(worker: Worker): void;
  /** Asks all workers. Null if none has ever answered. */
  collect(): Promise<ProcessCounts | null>;
};

/** `ask` sends the question to every worker that is up, and returns them. */
export function openWorkerCounts(ask: () => readonly Worker[]): WorkerCounts {
  const last = new Map<Worker, ProcessCounts>();
  let gone: ProcessCounts | null = null;
  let awaited = new Set<Worker>();
  let round: Promise<void> | null = null;
  let endRound = () => {};

  const answered = (worker: Worker) => {
    awaited.delete(worker);
    if (awaited.size === 0) endRound();
  };
  const newRound = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => endRound(), ANSWERS_WITHIN_MS);
      endRound = () => {
        clearTimeout(timer);
        round = null;
        endRound = () => {};
        resolve();
      };
      awaited = new Set(ask());
      if (awaited.size === 0) endRound();
    });
  return {
    note(worker, counted) {
      last.set(worker, counted);
      answered(worker);
    },
    ended(worker) {
      const counted = last.get(worker);
      last.delete(worker);
      if (counted) gone = addCounted([afterItsEnd(counted), ...(gone ? [gone] : [])]);
      answered(worker);
    },
    async collect() {
      round ??= newRound();
      await round;
      const [first, ...others] = [...last.values(), ...(gone ? [gone] : [])];
      return first ? addCounted([first, ...others]) : null;
    },
  };
}
