import { EXIT_CODES } from '../cli/exit-codes.ts';
import type { Log } from '../service/service.ts';

type Close = () => Promise<void> | void;

export type Closers = {
  /**
   * Registers something that was just opened; await it at once. If closing has already begun, this closes the thing and
   * throws, so that its opener stops.
   */
  opened(close: Close): Promise<void>;
  /** Closes in reverse order. An error of one closer is reported and does not stop the others. */
  close(): Promise<void>;
};

/** Collects what must be closed at the end, including what is opened after closing has begun. */
export function openClosers(onError: (error: unknown) => void): Closers {
  const opened: Close[] = [];
  let closing: Promise<void> | null = null;
  const run = async (close: Close) => {
    try {
      await close();
    } catch (error) {
      onError(error);
    }
  };
  return {
    async opened(close) {
      if (!closing) {
        opened.push(close);
        return;
      }
      await run(close);
      throw new Error('The service is being stopped.');
    },
    close() {
      closing ??= (async () => {
        for (const close of opened.reverse()) await run(close);
      })();
      return closing;
    },
  };
}

/** Limits the time from the reason to the end of the process, closing in order included. After a fault it is shorter. */
const FAULT_ENDS_WITHIN_MS = 60_000;
export const STOP_ENDS_WITHIN_MS = 120_000;

/** Why and when the service ends. It exists from the first step of the start. */
export type Ending = {
  /** Aborted when the end is reached. */
  readonly signal: AbortSignal;
  /** Resolves with the fault, or with null if someone asked the service to stop. */
  readonly reached: Promise<Error | null>;
  /** Whether SIGTERM asked for it. Supervisors and orchestrators send that, a terminal sends SIGINT. */
  readonly isTermination: boolean;
  /** Ends the service. Only the first reason counts. `isTermination`: as above. */
  reach(fault: Error | null, isTermination?: boolean): void;
  /** Marks everything as closed: ending the process now needs no log entry. */
  closed(): void;
};

/** npm and bin/quarters.mjs pass on a signal that a terminal or a service manager has sent to this process, too. */
const ONE_REQUEST_MS = 1_000;

/** Calls `asked` at the first SIGINT or SIGTERM, and `askedAgain` at each that comes too late to be the same request. */
export function onEndSignals(asked: (signal: NodeJS.Signals) => void, askedAgain: () => void): void {
  let askedAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (askedAt === null) asked(signal);
    else if (now - askedAt > ONE_REQUEST_MS) askedAgain();
    askedAt ??= now;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
}

/**
 * Ends the service on Ctrl-C (SIGINT) or SIGTERM. A second signal, or the first one while a fault is handled, ends the
 * process at once, and so does a closing that takes too long. Watchdogs then end our children.
 *
 * A worker (`isWorker`) leaves these decisions to its supervisor, because Ctrl-C and service managers signal both. SIGTERM to the
 * worker alone ends it in order, however often it is sent.
 */
export function openEnding(log: Log, { isWorker = false } = {}): Ending {
  const ending = new AbortController();
  const { promise: reached, resolve } = Promise.withResolvers<Error | null>();
  let fault: Error | null = null;
  let isTermination = false;
  let isClosed = false;
  let late: NodeJS.Timeout | undefined;

  const endNow = (code: number) => {
    if (!isClosed) log.error({ err: fault }, 'ended before everything had stopped');
    process.exit(code);
  };
  const reach: Ending['reach'] = (why, termination = false) => {
    if (ending.signal.aborted) return;
    fault = why;
    isTermination = termination;
    late = setTimeout(endNow, fault ? FAULT_ENDS_WITHIN_MS : STOP_ENDS_WITHIN_MS, 1);
    ending.abort(fault ?? new Error('The service was asked to stop.'));
    resolve(fault);
  };
  const hurry = () => endNow(fault ? 1 : EXIT_CODES.interrupted.code);
  if (isWorker) {
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => reach(null, true));
  } else {
    onEndSignals((signal) => (ending.signal.aborted ? hurry() : reach(null, signal === 'SIGTERM')), hurry);
  }
  return {
    signal: ending.signal,
    reached,
    get isTermination() {
      return isTermination;
    },
    reach,
    closed() {
      clearTimeout(late);
      isClosed = true;
    },
  };
}

/** Far more time than closing the last connections takes. */
const LEAVES_AFTER_MS = 5_000;

/**
 * Call it at the very end of a program. If something that was not closed still holds the process open, this reports it and
 * ends the process, never with 0, because that is a fault.
 */
export function endIfHeldOpen(afterMs = LEAVES_AFTER_MS): void {
  setTimeout(() => {
    const holders = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(`Everything was closed, but the process was still held open by: ${holders}.\n`);
    process.exit(process.exitCode || 1);
  }, afterMs).unref();
}
