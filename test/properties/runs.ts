const SHRINKING_MS = 60_000;

/**
 * How often a property is run: `usual` times, or FC_RUNS times. A failure prints its seed, which FC_SEED sets, and the
 * shortest failing run that was found within a minute.
 */
export function runsOf(usual: number) {
  const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
  let done = 0;
  let failedAt: number | null = null;
  return {
    parameters: { seed, numRuns: Number(process.env.FC_RUNS ?? 0) || usual },
    /** Runs `check`, or does nothing where the time for finding a shorter failing run is over. */
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
