import type { Log } from '../settlement/service.ts';

/** Limits the time from the reason to the end of the process, closing in order included. After a fault it is shorter. */
const FAULT_ENDS_WITHIN_MS = 60_000;
const STOP_ENDS_WITHIN_MS = 120_000;

/** Why and when the service ends. It exists from the first step of the start. */
export type Ending = {
  /** Aborted when the end is reached. */
  readonly signal: AbortSignal;
  /** Resolves with the fault, or with null if someone asked the service to stop. */
  readonly reached: Promise<Error | null>;
  /** Ends the service. Only the first reason counts. */
  reach(fault: Error | null): void;
  /** Marks everything as closed: ending the process now needs no log entry. */
  closed(): void;
};

/**
 * Ends the service on Ctrl-C (SIGINT) or SIGTERM. A second signal, or the first one while a fault is handled, ends the
 * process at once, and so does a closing that takes too long. Watchdogs then end our children.
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
