import { Problem } from '../base/problems.ts';

/**
 * The reply to COMMIT was lost, so the call may or may not have had its effect. A call with the same key gets the
 * actual outcome.
 */
export function outcomeUnknown(): Problem {
  const detail = 'The database went away while this was decided. Repeat the call with the same Idempotency-Key.';
  return new Problem('outcome-unknown', detail);
}
