import type { CallerIdentity } from './log.ts';
import { Problem } from './problems.ts';

/** What a key may still do. `remaining` is whole calls at once; `fullAfterSeconds` is the time until the bucket is full. */
export type BucketState = {
  readonly allowed: boolean;
  readonly perSecond: number;
  readonly remaining: number;
  readonly fullAfterSeconds: number;
};

/** Limits calls per key and second. After a second of rest, that many calls may come at once. */
export type TokenBuckets = {
  /** Counts one call, unless it is not allowed. `owner`: whose key it is, if that was just proved. */
  take(key: string, owner?: CallerIdentity): BucketState;
  /** Takes back the last counted call. */
  giveBack(key: string): void;
  /** Whether this key was counted recently. */
  has(key: string): boolean;
  /** Whose key it was when that was last proved; undefined if the key was not counted recently. */
  ownerOf(key: string): CallerIdentity | undefined;
  forget(key: string): void;
};

type Bucket = { tokens: number; at: number; owner: CallerIdentity | undefined };

/** Limits memory. A bucket unused for a second is full and may be dropped, so counts are lost only above this many callers a second. */
const MOST_KEYS = 50_000;

/**
 * Keeps token buckets in memory and drops the least recently used first.
 *
 * `perSecond` is for all processes together; `processes` is how many share it now; `seconds` is a monotonic clock.
 */
export function tokenBuckets({
  perSecond,
  processes,
  mostKeys = MOST_KEYS,
  seconds = () => performance.now() / 1000,
}: {
  readonly perSecond: number;
  processes(): number;
  readonly mostKeys?: number;
  seconds?(): number;
}): TokenBuckets {
  const buckets = new Map<string, Bucket>();

  return {
    take(key, owner) {
      const rate = perSecond / processes();
      const size = Math.max(1, rate);
      const now = seconds();
      const bucket = buckets.get(key);
      const tokens = bucket ? Math.min(size, bucket.tokens + (now - bucket.at) * rate) : size;
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      // Insert it again, so that the first key of the map is the least recently used.
      buckets.delete(key);
      buckets.set(key, { tokens: left, at: now, owner: owner ?? bucket?.owner });
      if (buckets.size > mostKeys) buckets.delete(buckets.keys().next().value!);
      return {
        allowed,
        perSecond,
        remaining: Math.floor(left),
        fullAfterSeconds: Math.ceil((size - left) / rate),
      };
    },
    giveBack(key) {
      const bucket = buckets.get(key);
      if (bucket) bucket.tokens += 1;
    },
    has: (key) => buckets.has(key),
    ownerOf: (key) => buckets.get(key)?.owner,
    forget: (key) => void buckets.delete(key),
  };
}

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
