import { BUCKETS, type BucketSum } from '../../db/fingerprints.ts';

/** Sums of fingerprints by bucket. Their size does not depend on what they are the sums of. */
export type Sums = {
  /** Adds an amount that is weighted with its row's 64-bit hash. */
  add(hash: bigint, amount: bigint): void;
  addAll(sums: readonly BucketSum[]): void;
  /** The buckets in which the sums differ. */
  differing(other: Sums): number[];
  readonly values: readonly bigint[];
};

export function openSums(): Sums {
  const values = Array.from({ length: BUCKETS }, () => 0n);
  return {
    values,
    add(hash, amount) {
      values[Number(hash & BigInt(BUCKETS - 1))]! += hash * amount;
    },
    addAll(sums) {
      for (const { bucket, sum } of sums) values[bucket]! += BigInt(sum);
    },
    differing: (other) => values.flatMap((value, bucket) => (value === other.values[bucket] ? [] : [bucket])),
  };
}
