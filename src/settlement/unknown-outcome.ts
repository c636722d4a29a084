import { Problem } from '../base/problems.ts';
import { CommitUnknown, isUnavailable } from '../db/database.ts';

/**
 * The reply to COMMIT was lost, so the call may or may not have had its effect. A call with the same key gets the
 * actual outcome.
 */
export function outcomeUnknown(): Problem {
  const detail = 'The database went away while this was decided. Repeat the call with the same Idempotency-Key.';
  return new Problem('outcome-unknown', detail);
}

/**
 * The problem that callers see for an error of the database, if nothing was wrong with their request. Null for every
 * other error.
 */
export function databaseProblem(error: unknown): Problem | null {
  if (error instanceof CommitUnknown) return outcomeUnknown();
  if (!isUnavailable(error)) return null;
  return new Problem('database-unavailable', 'The database is not available at the moment. Try again.');
}

/**
 * Reads what an effect left, in order to answer. If the database is away now, the caller must not conclude that nothing
 * was done. Throws `outcome-unknown`, and what `reading` throws.
 */
export async function readAfterwards<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    throw databaseProblem(error) ? outcomeUnknown() : error;
  });
}

/** Advice for an operator whose command has an unknown outcome. `look`: the sentence for a command without a key. */
export function whatToDo(key: string | undefined, look: string): string {
  return key === undefined ? look : 'Run it again soon, with the same --key: it is done once.';
}

/** Awaits `deciding`, and rewords the doubt about a lost COMMIT for the command line. `then`: what to do about it. */
export async function orLook<T>(deciding: Promise<T>, then: string): Promise<T> {
  return deciding.catch((error: unknown) => {
    const isDoubt = error instanceof CommitUnknown || (error instanceof Problem && error.code === 'outcome-unknown');
    if (!isDoubt) throw error;
    throw new Problem(
      'outcome-unknown',
      `We could not confirm whether this was done: the connection to the database was lost. ${then}`,
    );
  });
}
