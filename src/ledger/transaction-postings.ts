import type { Address } from '../base/address.ts';
import { type Hash, hexToBytes } from '../base/hex.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries } from '../db/database.ts';

/** One movement of quarters that a transaction made on the chain. */
export type TransactionPosting = {
  readonly logIndex: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  /** When we saw it; null if that was before this time was stored. */
  readonly at: Date | null;
};

/** What a transaction moved, if it is in this block of the ledger, in the chain's order; at most `most`. */
export async function postingsOfTransaction(
  { query }: Queries,
  hash: Hash,
  block: bigint,
  most: number,
): Promise<TransactionPosting[]> {
  // There is no index of hashes: the block is found by the key, and its logs are read.
  return query<TransactionPosting>(
    `SELECT log_index AS "logIndex", from_address AS "from", to_address AS "to", amount, posted_at AS at FROM postings
      WHERE block_number = $1 AND tx_hash = $2 ORDER BY log_index LIMIT $3`,
    [block, hexToBytes(hash), most],
  );
}
