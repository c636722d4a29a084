import type { Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { RELEASE } from '../../../config/release.ts';
import type { ListeningPlace } from '../../../process/listening-place.ts';
import type { ShownService } from '../../../process/start-screen.ts';
import type { Log } from '../../../service/service.ts';
import type { FromWorker } from './worker-messages.ts';
import { forkWorker, tellWorker, type WorkerEnd, type WorkerProcess } from './worker-process.ts';
import { openWorkerRoster } from './worker-roster.ts';

/** A worker that dies is replaced at once. One that dies again soon is replaced after a pause, which doubles each time. */
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 30_000;
/** A worker that lived for so long has not died of its start. */
const SOUND_AFTER_MS = 60_000;

type CrewOptions = {
  readonly size: number;
  readonly place: ListeningPlace;
  readonly log: Log;
  /** Called after a worker has sent transactions. */
  readonly onSent: () => void;
  /** Called if no worker can go on. */
  readonly onEnd: (reason: Error) => void;
  /** How often workers are asked whether they still work. Left out: every five seconds. */
  readonly asksEveryMs?: number;
};

/** The workers of a supervisor. */
export type Crew = {
  /** Resolves when all workers answer. Throws the reason if one cannot start. */
  open(): Promise<ShownService>;
  markStarted(): void;
  /** Ends all workers in order. Resolves when they have ended. `isTermination`: of `Ending`. */
  stop(isTermination: boolean): Promise<void>;
};

const STOP_AT_ONCE = { kind: 'stop', isTermination: false } as const;

/**
 * Starts workers: the first alone, because it may have to prepare what all need, then the others together. A worker that ends by
 * itself is replaced, and one that hangs is killed first. The supervisor accepts the connections and hands them out in turn
 * (node:cluster). Sockets of their own (`reusePort`) would save 0.1 ms of processor time for each connection. But they lose all that waits
 * at a worker that dies, and not one connection only. They spread kept connections unevenly, and let a second installation share the
 * port unnoticed.
 */
export function openCrew({ size, place, log, onSent, onEnd, asksEveryMs }: CrewOptions): Crew {
  const running = new Set<WorkerProcess>();
  const roster = openWorkerRoster(log, asksEveryMs);
  const stopping = new AbortController();
  let [isOpen, isStarted, replaced] = [false, false, 0];
  const allEnded = killAtExit(running);

  function hear(worker: Worker, message: FromWorker): void {
    if (message.kind === 'ready') {
      roster.add(worker);
      if (isStarted) tellWorker(worker, { kind: 'started' });
    } else if (message.kind === 'sent') onSent();
    else if (message.kind === 'counts') roster.note(worker, message.counted);
    else if (message.kind === 'collect') {
      void roster.collect().then((total) => {
        tellWorker(worker, { kind: 'total', total: total && { ...total, replaced } });
      });
    }
  }

  function start(number: number, soonDeaths = 0): Promise<ShownService> {
    const bornAt = performance.now();
    const begin = { kind: 'begin', number, place, version: RELEASE.version } as const;
    const firstTask = () => (stopping.signal.aborted ? STOP_AT_ONCE : begin);
    const process = forkWorker(number, firstTask, hear);
    running.add(process);
    void process.ended.then((end) => {
      running.delete(process);
      roster.remove(process.worker);
      if (stopping.signal.aborted) return;
      if (end.isFinal) return onEnd(new Error(end.fault!));
      // During the start, a worker that cannot start ends it. For one that replaces another nobody waits.
      if (end.fault !== null && !isOpen && soonDeaths === 0) return;
      replace(number, end, performance.now() - bornAt > SOUND_AFTER_MS ? 1 : soonDeaths + 1);
    });
    return process.ready;
  }

  function replace(number: number, end: WorkerEnd, deaths: number): void {
    replaced++;
    const pauseMs = pauseAfter(deaths);
    logEnd(log, number, end, pauseMs);
    const again = () => void start(number, deaths);
    runAfter(pauseMs, stopping.signal, again, (fault) => replace(number, fault, deaths + 1));
  }

  return {
    async open() {
      const shown = await start(1);
      if (stopping.signal.aborted) throw new Error('The service is being stopped.');
      await Promise.all(Array.from({ length: size - 1 }, (_, i) => start(i + 2)));
      isOpen = true;
      return shown;
    },
    markStarted() {
      isStarted = true;
      roster.tellAll({ kind: 'started' });
    },
    async stop(isTermination) {
      stopping.abort();
      for (const { worker } of running) tellWorker(worker, { kind: 'stop', isTermination });
      await Promise.all([...running].map(({ ended }) => ended));
      roster.close();
      allEnded();
    },
  };
}

/** Workers end when the channel to this process closes, but one that hangs does not notice. Call the result when all have ended. */
function killAtExit(running: ReadonlySet<WorkerProcess>): () => void {
  const killAll = () => {
    for (const { worker } of running) worker.process.kill('SIGKILL');
  };
  process.once('exit', killAll);
  return () => void process.off('exit', killAll);
}

/** Calls `fork` after a pause, unless the signal comes first. `onFailure`: there is no memory for one more process. */
function runAfter(pauseMs: number, signal: AbortSignal, fork: () => void, onFailure: (end: WorkerEnd) => void): void {
  void delay(pauseMs, undefined, { signal })
    .then(fork)
    .catch(({ message }: Error) => {
      if (!signal.aborted) onFailure({ code: null, signal: null, fault: message, isFinal: false });
    });
}

/** Milliseconds until a worker that has died soon after its start, `deaths` times in a row, is started again. */
function pauseAfter(deaths: number): number {
  return deaths === 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (deaths - 2), MOST_PAUSE_MS);
}

function logEnd(log: Log, worker: number, { code, signal, fault }: WorkerEnd, pauseMs: number): void {
  if (fault === null) log.error({ worker, code, signal, pauseMs }, 'a worker has ended and is replaced');
  else log.error({ worker, reason: fault, pauseMs }, 'a worker did not start and is tried again');
}
