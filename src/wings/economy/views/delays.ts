/** A quarter of a doubling, so a percentile is off by less than a fifth, usually by far less. */
const BUCKETS_A_DOUBLING = 4;

/** The bucket of a time in milliseconds, from 0 on. Times below a millisecond count as one. */
export function bucketOf(milliseconds: number): number {
  return Math.floor(BUCKETS_A_DOUBLING * Math.log2(Math.max(milliseconds, 1)));
}

/**
 * The time in milliseconds below which this share of all is; null if there are none. `buckets`: how many are in each. Within a bucket, times
 * count as spread evenly.
 */
export function percentile(buckets: ReadonlyMap<number, number>, share: number): number | null {
  const total = buckets.values().reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  let left = share * total;
  for (const [bucket, count] of [...buckets].sort(([a], [b]) => a - b)) {
    if (left <= count) {
      const edge = (at: number) => 2 ** (at / BUCKETS_A_DOUBLING);
      return edge(bucket) + (edge(bucket + 1) - edge(bucket)) * (left / count);
    }
    left -= count;
  }
  return null;
}
