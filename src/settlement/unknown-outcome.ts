import { Problem } from '../base/problems.ts';
import { CommitUnknown, isUnavailable } from '../db/database.ts';
import { outcomeUnknown } from './outcome-unknown.ts';

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
