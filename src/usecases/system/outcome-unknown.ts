import { Problem } from '../../base/problems.ts';

/** The reply to COMMIT was lost: it may be done or not. With the same key the call is answered by what became of it. */
export function outcomeUnknown(): Problem {
  const detail = 'The database went away while this was decided. Repeat the call with the same Idempotency-Key.';
  return new Problem('outcome-unknown', detail);
}
