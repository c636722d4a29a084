import { Problem } from '../../base/problems.ts';
import { CommitUnknown, isUnavailable } from '../../db/database.ts';
import { outcomeUnknown } from './outcome-unknown.ts';

/** What an error of the database is to a caller, where nothing is wrong with what was asked for; null for every other error. */
export function databaseProblem(error: unknown): Problem | null {
  if (error instanceof CommitUnknown) return outcomeUnknown();
  if (!isUnavailable(error)) return null;
  return new Problem('database-unavailable', 'The database is not available at the moment. Try again.');
}

/**
 * For what is read after something was done, to tell of it: that the database is away now must not be taken for its not having been done.
 * Throws `outcome-unknown`, and what `reading` throws.
 */
export async function readAfterwards<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    throw databaseProblem(error) ? outcomeUnknown() : error;
  });
}
