import { Problem } from '../../base/problems.ts';

/** Failures within the time that delay nobody: people mistype. */
const FREE = 5;
const FIRST_MS = 250;
const MOST_MS = 4_000;

/**
 * How long the answer to a guess is held back. `nth`: which guess at this account it is within the budget's time, from 1. It doubles
 * up to a bound that the account's owner can bear, and that ends well before a stopping service gives up waiting.
 */
export function delayMs(nth: number): number {
  return nth <= FREE ? 0 : Math.min(FIRST_MS * 2 ** (nth - FREE - 1), MOST_MS);
}

/** Each holds a request in memory. */
const MOST_WAITING = 1_000;
/** Of one place: nobody alone takes all of them. */
const MOST_WAITING_OF_ONE = 20;

/** Holds answers back, a bounded number at a time. */
export type Delays = {
  /**
   * Resolves after `ms`, or at once when the service stops. `place`: the address it is for. Throws `too-many-tries` where too many of
   * that place wait already, `overloaded` where too many do.
   */
  wait(ms: number, place: string): Promise<void>;
  /** From now on nobody waits. */
  end(): void;
};

export function openDelays(): Delays {
  const waiting = new Map<() => void, string>();
  let ended = false;
  return {
    async wait(ms, place) {
      if (ms === 0 || ended) return;
      const ofPlace = [...waiting.values()].filter((one) => one === place).length;
      if (ofPlace >= MOST_WAITING_OF_ONE) throw new Problem('too-many-tries', 'Please wait a moment and try again.');
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
