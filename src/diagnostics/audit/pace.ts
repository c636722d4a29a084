import { setTimeout as delay } from 'node:timers/promises';

/** How fast an audit may be. */
export type Pace = {
  /** Call it after each piece of work. */
  rest(): Promise<void>;
};

/** Work of this length disturbs nobody, and a small ledger needs no more in all. */
const AT_ONCE_MS = 50;
/** This process, the database and the node work in turns. So all three together take no more than a quarter of one core. */
const REST_PER_WORK = 3;

/** Rests in proportion to the time that the work before took, unless the audit is in a hurry: then nothing rests. */
export function openPace(rests: boolean): Pace {
  let resumedAt = performance.now();
  return {
    async rest() {
      const worked = performance.now() - resumedAt;
      if (worked < AT_ONCE_MS) return;
      if (rests) await delay(worked * REST_PER_WORK);
      resumedAt = performance.now();
    },
  };
}
