import { type Address, asAddress } from '../base/address.ts';
import { asHash, type Hash } from '../base/hex.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query } from '../db/database.ts';

/** What a `Transfer` log moved to or from an account, where no app is on the other side. */
export type OutsidePosting = {
  /** `out`: what a closed account gives back, or what somebody moved who has the key as well. */
  readonly direction: 'in' | 'out';
  /** `treasury`: the operator. `outside`: an address that is not ours. */
  readonly otherSide: 'treasury' | 'outside';
  readonly otherAddress: Address;
  readonly amount: Quarters;
  readonly txHash: Hash;
  /** When we saw it; null: at a time before this was noted. */
  readonly at: Date | null;
  readonly position: PostingPosition;
};

/** Where a posting stands on the chain; lists go on from there. */
export type PostingPosition = { readonly block: bigint; readonly logIndex: number };

type Row = {
  direction: 'in' | 'out';
  kind: string;
  other: string;
  amount: bigint;
  tx_hash: string;
  posted_at: Date | null;
  outside_block: bigint;
  log_index: number;
};

/**
 * Newest first, those before `before`. Whatever an app pays or is paid belongs to a request, which tells more, and is left out;
 * so are logs of 0 quarters, which the token lets anybody write about anybody.
 */
export async function listOutsidePostings(
  { query }: { query: Query },
  address: Address,
  before: PostingPosition | null,
  limit: number,
): Promise<OutsidePosting[]> {
  // One index each way, of such postings only, each read from its end and no further than needed; what both would find is an
  // account paying itself.
  const rows = await query<Row>(
    `SELECT found.*, kind FROM (
       (SELECT 'in' AS direction, from_address AS other, amount, tx_hash, posted_at, outside_block, log_index
          FROM postings
         WHERE to_address = $1 AND outside_block IS NOT NULL AND (outside_block, log_index) < ($2, $3)
         ORDER BY outside_block DESC, log_index DESC LIMIT $4)
       UNION ALL
       (SELECT 'out', to_address, amount, tx_hash, posted_at, outside_block, log_index
          FROM postings
         WHERE from_address = $1 AND to_address <> $1 AND outside_block IS NOT NULL AND (outside_block, log_index) < ($2, $3)
         ORDER BY outside_block DESC, log_index DESC LIMIT $4)
     ) AS found JOIN accounts ON address = other
     ORDER BY outside_block DESC, log_index DESC LIMIT $4`,
    [address, before?.block ?? MAX_INT8, before?.logIndex ?? 0, limit],
  );
  return rows.map((row) => ({
    direction: row.direction,
    otherSide: row.kind === 'treasury' ? 'treasury' : 'outside',
    otherAddress: asAddress(row.other),
    amount: asQuarters(row.amount),
    txHash: asHash(row.tx_hash),
    at: row.posted_at,
    position: { block: row.outside_block, logIndex: row.log_index },
  }));
}

const MAX_INT8 = 2n ** 63n - 1n;
