import { setTimeout as delay } from 'node:timers/promises';

/** How fast an audit may be. */
export type Pace = {
  /** Call it after each piece of work: rests until the work has taken no more than its share of the time. */
  rest(): Promise<void>;
};

/** Work of this length disturbs nobody, and a small ledger needs no more in all. */
const AT_ONCE_MS = 50;
/**
 * Database and node work for the audit about as long as this process does (bench/audit.ts). So all three together take
 * about a fifth of one core.
 */
const REST_PER_CPU = 8;

/**
 * Rests in proportion to the processor time of the work before, and at least as long as the work took: that may have been
 * the time of a disk. `haste` divides the rests.
 *
 * `rest` throws when `signal` asks the audit to stop.
 */
export function openPace(haste: number, signal: AbortSignal | undefined): Pace {
  let resumedAt = performance.now();
  let cpuThen = process.cpuUsage();
  return {
    async rest() {
      signal?.throwIfAborted();
      const worked = performance.now() - resumedAt;
      if (worked < AT_ONCE_MS) return;
      const { user, system } = process.cpuUsage(cpuThen);
      const restMs = Math.max(worked, ((user + system) / 1000) * REST_PER_CPU) / haste;
      if (restMs > 0) await delay(restMs, undefined, signal && { signal });
      resumedAt = performance.now();
      cpuThen = process.cpuUsage();
    },
  };
}
