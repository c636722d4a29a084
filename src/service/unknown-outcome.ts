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

/** Advice for an operator whose command has an unknown outcome. `withoutKey`: the sentence for a command without a key. */
export function adviceFor(key: string | undefined, withoutKey: string): string {
  return key === undefined ? withoutKey : 'Run it again soon, with the same --key: it is done once.';
}

/** Awaits `effect`, and explains a lost COMMIT reply to somebody at the command line. `advice`: what to do about it. */
export async function explainUnknown<T>(effect: Promise<T>, advice: string): Promise<T> {
  return effect.catch((error: unknown) => {
    const isUnknown = error instanceof CommitUnknown || (error instanceof Problem && error.code === 'outcome-unknown');
    if (!isUnknown) throw error;
    throw new Problem(
      'outcome-unknown',
      `We could not confirm whether this was done: the connection to the database was lost. ${advice}`,
    );
  });
}
