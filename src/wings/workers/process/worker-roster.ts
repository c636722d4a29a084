import type { Worker } from 'node:cluster';
import type { ProcessCounts } from '../../../http/process-counts.ts';
import type { Log } from '../../../service/service.ts';
import { watchForHangs } from './hang-watch.ts';
import { openWorkerCounts } from './worker-counts.ts';
import type { ToWorker } from './worker-messages.ts';
import { tellWorker } from './worker-process.ts';

/** The workers that are up. */
export type WorkerRoster = {
  add(worker: Worker): void;
  /** It has ended, or was never up. */
  remove(worker: Worker): void;
  tellAll(message: ToWorker): void;
  /** A worker has said what it has counted. */
  note(worker: Worker, counted: ProcessCounts): void;
  /** What all have counted; null if none has ever said it. */
  collect(): Promise<ProcessCounts | null>;
  close(): void;
};

/** Keeps what the workers count, and kills one that hangs. What has started it sees its end. */
export function openWorkerRoster(log: Log, asksEveryMs?: number): WorkerRoster {
  const up = new Set<Worker>();
  const tellAll = (message: ToWorker) => {
    for (const worker of up) tellWorker(worker, message);
  };
  const askCounts = () => {
    tellAll({ kind: 'count' });
    return [...up];
  };
  const counts = openWorkerCounts(askCounts);
  const watch = watchForHangs(
    () => askCounts().filter((worker) => worker.isConnected()),
    (worker) => {
      log.error({ pid: worker.process.pid }, 'a worker hangs and is killed');
      // It is asked no more: its end may take a while.
      up.delete(worker);
      worker.process.kill('SIGKILL');
    },
    asksEveryMs,
  );
  return {
    add: (worker) => void up.add(worker),
    remove(worker) {
      up.delete(worker);
      counts.ended(worker);
    },
    tellAll,
    note(worker, counted) {
      watch.answered(worker);
      counts.note(worker, counted);
    },
    collect: counts.collect,
    close: watch.stop,
  };
}
