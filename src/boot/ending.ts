import type { Log } from '../usecases/service.ts';

/** From the reason to the end of the process, everything that is closed in order included. Nobody waits for the end of a fault. */
const FAULT_ENDS_WITHIN_MS = 60_000;
const STOP_ENDS_WITHIN_MS = 120_000;

/** Why and when the service ends, from the first step of its start on. */
export type Ending = {
  /** Aborted when the end is reached. */
  readonly signal: AbortSignal;
  /** Resolves at the end: with the fault, or null where the stop was asked for. */
  readonly reached: Promise<Error | null>;
  /** Only the first reason counts. */
  reach(fault: Error | null): void;
  /** Everything is closed: nothing has to be said any more if the process is ended now. */
  closed(): void;
};

/**
 * Ctrl-C (SIGINT) or SIGTERM is the end. A further one, or the first while a fault is being dealt with already, ends the process at
 * once; our children end by their watchdogs. So does an end whose closing takes longer than anything should.
 */
export function openEnding(log: Log): Ending {
  const ending = new AbortController();
  const { promise: reached, resolve } = Promise.withResolvers<Error | null>();
  let fault: Error | null = null;
  let isClosed = false;
  let late: NodeJS.Timeout | undefined;

  const endNow = (code: number) => {
    if (!isClosed) log.error({ err: fault }, 'ended before everything had stopped');
    process.exit(code);
  };
  const reach: Ending['reach'] = (why) => {
    if (ending.signal.aborted) return;
    fault = why;
    late = setTimeout(endNow, fault ? FAULT_ENDS_WITHIN_MS : STOP_ENDS_WITHIN_MS, 1);
    ending.abort(fault ?? new Error('The service was asked to stop.'));
    resolve(fault);
  };
  const onSignal = () => {
    if (ending.signal.aborted) endNow(fault ? 1 : 130);
    reach(null);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: ending.signal,
    reached,
    reach,
    closed() {
      clearTimeout(late);
      isClosed = true;
    },
  };
}
