import { Problem } from '../../../src/base/problems.ts';

/** The codes of the calls that were refused. */
export function refusalsOf(results: readonly PromiseSettledResult<unknown>[]): string[] {
  return results.flatMap((result) =>
    result.status === 'fulfilled'
      ? []
      : [result.reason instanceof Problem ? result.reason.code : String(result.reason)],
  );
}
