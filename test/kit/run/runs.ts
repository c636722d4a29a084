import { seedOf } from './seed.ts';
import { perTier } from './tier.ts';

const SHRINKING_MS = 60_000;

/**
 * How often a property runs: as the tier says, or FC_RUNS times. A failure prints its seed, which FC_SEED sets, and the
 * shortest failing run found within a minute.
 */
export function runsOf(depth: { readonly usual: number; readonly all: number }) {
  const seed = seedOf('properties');
  let done = 0;
  let failedAt: number | null = null;
  return {
    parameters: { seed, numRuns: perTier(depth, 'FC_RUNS') },
    /** Runs `check`, or does nothing if the time to find a shorter failing run is over. */
    async attempt(check: () => Promise<void>): Promise<void> {
      if (failedAt !== null && Date.now() > failedAt + SHRINKING_MS) return;
      done++;
      try {
        await check();
      } catch (error) {
        failedAt ??= Date.now();
        throw error;
      }
    },
    report: () => `${done} runs, seed ${seed}`,
  };
}
