import { Problem } from './problems.ts';

/** The first failures cause no delay, because people mistype. */
const FREE = 5;
const FIRST_MS = 250;
const MOST_MS = 4_000;

/**
 * How long the answer to an attempt is delayed. `nth`: the number of this attempt at the account within the throttle's
 * time, from 1. The delay doubles up to a bound that the account's owner can bear, and that is well below the time a
 * stopping service waits.
 */
export function delayMs(nth: number): number {
  return nth <= FREE ? 0 : Math.min(FIRST_MS * 2 ** (nth - FREE - 1), MOST_MS);
}

/** Every delayed answer holds a request in memory. */
const MOST_WAITING = 1_000;
/** For one place, so that nobody takes all of them. */
const MOST_WAITING_OF_ONE = 20;

/** Delays answers, a limited number at a time. */
export type Delays = {
  /**
   * Resolves after `ms`, or at once when the service stops. `place`: the address that waits. Throws `too-many-tries` if
   * too many requests of that place wait already, and `overloaded` if too many wait in all.
   */
  wait(ms: number, place: string): Promise<void>;
  /** Ends all delays, now and later. */
  end(): void;
};

export function openDelays(): Delays {
  const waiting = new Map<() => void, string>();
  let ended = false;
  return {
    async wait(ms, place) {
      if (ms === 0 || ended) return;
      const ofPlace = [...waiting.values()].filter((one) => one === place).length;
      if (ofPlace >= MOST_WAITING_OF_ONE) {
        throw new Problem('too-many-tries', 'Too many attempts from this network are waiting.', [], { code: 'wait' });
      }
      if (waiting.size >= MOST_WAITING) throw new Problem('overloaded', 'Too many people are signing in right now.');
      await new Promise<void>((resolve) => {
        const go = () => {
          clearTimeout(timer);
          waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(go, ms);
        waiting.set(go, place);
      });
    },
    end() {
      ended = true;
      for (const go of [...waiting.keys()]) go();
    },
  };
}
