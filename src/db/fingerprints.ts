// Two sets of rows are equal if sums of their rows' hashes are, but for one chance in 2⁶⁰ or so: with a new random seed
// each time, nobody can choose rows whose hashes make up for one another. So millions of rows are compared in pages, each
// read once and forgotten. Sums by bucket also tell where to look for a difference.

export const BUCKETS = 1024;

/** The sum of one bucket's hashes; PostgreSQL's numeric arrives as text. */
export type BucketSum = { readonly bucket: number; readonly sum: string };

/** SQL: the bucket of a 64-bit hash. */
export function bucketOf(hash: string): string {
  return `(${hash} & ${BUCKETS - 1})::int`;
}

/** SQL: the hash of a payment, of a row with these columns. `transfers` and `postings` must give the same for the same payment. */
export function paymentHash(seed: string): string {
  return `hashtextextended(tx_hash || from_address || to_address || amount, ${seed})`;
}
