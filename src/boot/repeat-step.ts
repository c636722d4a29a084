import { setTimeout as delay } from 'node:timers/promises';
import { Problem, type ProblemCode } from '../base/problems.ts';
import { isUnavailable } from '../db/database.ts';
import type { Log } from '../usecases/service.ts';

const PAUSE_MS = 500;
const PASSING: readonly ProblemCode[] = ['database-unavailable', 'outcome-unknown', 'overloaded'];

/**
 * Runs a step of the start that goes on from whatever an earlier try has left, until it comes through: a database that goes away for
 * a moment, even during a COMMIT, does not end a process that answers already. Ends with `ended`'s reason, or with any other fault.
 */
export async function repeatStep<T>(
  step: () => Promise<T>,
  { log, ended }: { log: Log; ended: AbortSignal },
): Promise<T> {
  let told = '';
  for (;;) {
    ended.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      const passing = isUnavailable(error) || (error instanceof Problem && PASSING.includes(error.code));
      if (!passing) throw error;
      const reason = (error as Error).message;
      if (reason !== told) log.warn({ reason }, 'the start waits for the database');
      told = reason;
    }
    await delay(PAUSE_MS, undefined, { signal: ended }).catch(() => {});
  }
}
