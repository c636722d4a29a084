/** `npm test` runs the usual tier, which finds a defect soonest. `npm run test:all` runs everything, and deeper. */
export type Tier = 'usual' | 'all';

/** The runner sets it; a file run without the runner is of the usual tier. */
export const TIER_VARIABLE = 'QUARTERS_TEST_TIER';

export function currentTier(): Tier {
  return process.env[TIER_VARIABLE] === 'all' ? 'all' : 'usual';
}

/**
 * How deep a test goes: the number for the current tier. `variable` names an environment variable that overrides it.
 */
export function perTier(depth: Readonly<Record<Tier, number>>, variable?: string): number {
  return Number(variable && process.env[variable]) || depth[currentTier()];
}
