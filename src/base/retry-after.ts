import type { ProblemCode } from './problems.ts';

/** Without `outcome-unknown`: a caller who repeats such a call without an Idempotency-Key may do it twice. */
const SECONDS: Partial<Record<ProblemCode, () => number>> = {
  'rate-limited': () => 1,
  overloaded: () => 1,
  'app-backlog-full': () => 1,
  'quarters-unconfirmed': () => 5,
  'payments-suspended': () => 60,
  'chain-unavailable': () => 5,
  'database-unavailable': () => 5,
  'guest-limit': secondsUntilMidnight,
};

const DAY_SECONDS = 86_400;

/** In UTC, because the database counts days in UTC. */
function secondsUntilMidnight(): number {
  return DAY_SECONDS - (Math.floor(Date.now() / 1000) % DAY_SECONDS);
}

/** Seconds until a retry makes sense, for `Retry-After`. Undefined if waiting changes nothing. */
export function retryAfterSeconds(code: ProblemCode): number | undefined {
  return SECONDS[code]?.();
}
