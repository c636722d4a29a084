import type { Service } from '../service/service.ts';

const FIRST_BACK_OFF_MS = 250;
/** Short, because transfers wait for this pause when the database or the node is back. */
const MAX_BACK_OFF_MS = 2_000;

/** A background job that repeats: after a pause, at once when woken, and with growing pauses while it fails. */
export type Loop = {
  wake(): void;
  /** Resolves when a run that began after this call has left nothing to do, or has failed. */
  turn(): Promise<void>;
  /** Waits for the current run and starts no other. */
  stop(): Promise<void>;
};

/**
 * Repeats `job`, for the first time after `firstAfterMs`. `job` resolves with true if more work is waiting.
 *
 * An error is noted in `loopFaults`, and logged, but not twice in a row for the same reason. The job is retried with back-off: no error may
 * end the process. If `pauseMs` is a function, it is called after each run.
 */
export function repeat(
  name: string,
  { log, loopFaults }: Pick<Service, 'log' | 'loopFaults'>,
  pauseMs: number | (() => number),
  job: () => Promise<boolean>,
  firstAfterMs = 0,
): Loop {
  let stopped = false;
  let woken = false;
  let endPause: (() => void) | null = null;
  let awaited: (() => void)[] = [];

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(end, milliseconds);
      function end() {
        clearTimeout(timer);
        endPause = null;
        resolve();
      }
      endPause = end;
    });

  async function run(): Promise<void> {
    let failures = 0;
    let lastReason = '';
    if (firstAfterMs > 0) await pause(firstAfterMs);
    while (!stopped) {
      woken = false;
      let again = false;
      const turns = awaited;
      awaited = [];
      try {
        again = await job();
        if (failures > 0) log.info({ loop: name, failures }, 'the loop has recovered');
        loopFaults.delete(name);
        failures = 0;
        lastReason = '';
      } catch (error) {
        failures++;
        const reason = (error as Error).message;
        if (reason !== lastReason) log.warn({ loop: name, err: error }, 'the loop failed and will be tried again');
        lastReason = reason;
        loopFaults.set(name, { since: loopFaults.get(name)?.since ?? new Date(), reason });
      }
      if (again && !stopped) awaited.push(...turns);
      else for (const end of turns) end();
      if (stopped) return;
      if (failures > 0) await pause(Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - 1), MAX_BACK_OFF_MS));
      else if (!again && !woken) await pause(typeof pauseMs === 'number' ? pauseMs : pauseMs());
    }
  }

  const running = run().finally(() => {
    for (const end of awaited) end();
  });
  const wake = () => {
    woken = true;
    endPause?.();
  };
  return {
    wake,
    turn() {
      if (stopped) return running;
      return new Promise((resolve) => {
        awaited.push(resolve);
        wake();
      });
    },
    stop() {
      stopped = true;
      endPause?.();
      return running;
    },
  };
}
