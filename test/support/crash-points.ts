/**
 * A kill at any statement of a transaction leaves what a kill right before its COMMIT leaves, and what is left between two
 * steps is the same after the first as before the second. The usual run takes one point of each such class; with CRASH_ALL=1
 * all of them are taken.
 */
const ALL = process.env.CRASH_ALL === '1';

/** The points of the usual run, or, with CRASH_ALL=1, also those that are equal to one of them. */
export function killPoints<T>(
  usual: Readonly<Record<string, T>>,
  equal: Readonly<Record<string, T>>,
): Record<string, T> {
  return ALL ? { ...usual, ...equal } : { ...usual };
}
