import { setTimeout as delay } from 'node:timers/promises';
import { Problem, type ProblemCode } from '../src/base/problems.ts';
import { isUnavailable } from '../src/db/database.ts';
import type { Log } from '../src/service/service.ts';

const PAUSE_MS = 500;
const PASSING: readonly ProblemCode[] = ['database-unavailable', 'outcome-unknown', 'overloaded'];

/**
 * Repeats a step of the start until it succeeds: a short loss of the database, even during a COMMIT, must not end a process
 * that already answers calls. The step must be able to continue after a failed attempt.
 *
 * Throws the reason of `ended` when that is aborted, and any error that is not temporary.
 */
export async function repeatStep<T>(
  step: () => Promise<T>,
  { log, ended }: { log: Log; ended: AbortSignal },
): Promise<T> {
  let logged = '';
  for (;;) {
    ended.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      const passing = isUnavailable(error) || (error instanceof Problem && PASSING.includes(error.code));
      if (!passing) throw error;
      const reason = (error as Error).message;
      if (reason !== logged) log.warn({ reason }, 'the start waits for the database');
      logged = reason;
    }
    await delay(PAUSE_MS, undefined, { signal: ended }).catch(() => {});
  }
}
