import type { CallerIdentity } from './log.ts';

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
