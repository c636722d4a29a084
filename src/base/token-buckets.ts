/** What a key may still do. `remaining`: whole calls at once; `fullAfterSeconds`: until as many as ever. */
export type Standing = {
  readonly allowed: boolean;
  readonly perSecond: number;
  readonly remaining: number;
  readonly fullAfterSeconds: number;
};

/** Counts calls by key, so many a second, and as many at once after a second of rest. */
export type TokenBuckets = {
  /** One call more. Where it is not allowed, it counts nothing. */
  take(key: string): Standing;
  /** The last call did not count after all. */
  giveBack(key: string): void;
  /** Whether this key was counted lately. */
  has(key: string): boolean;
  forget(key: string): void;
};

type Bucket = { tokens: number; at: number };

/** A bucket untouched for a second is full, and as good as none: only more callers than this within a second lose count. */
const MOST_KEYS = 50_000;

/**
 * Token buckets in memory, the longest unused forgotten first.
 *
 * `perSecond`: of all processes together; `processes`: how many share it now; `seconds`: a clock that never goes back.
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
    take(key) {
      const rate = perSecond / processes();
      const size = Math.max(1, rate);
      const now = seconds();
      const bucket = buckets.get(key);
      const tokens = bucket ? Math.min(size, bucket.tokens + (now - bucket.at) * rate) : size;
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      // Put in anew, so that the map's first is the longest unused.
      buckets.delete(key);
      buckets.set(key, { tokens: left, at: now });
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
    forget: (key) => void buckets.delete(key),
  };
}
