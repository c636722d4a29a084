import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Query } from '../db/database.ts';

/** A `Transfer` log to or from an account without an app on the other side. */
export type OutsidePosting = {
  /** `out`: what a closed account returns, or what another holder of its key moved. */
  readonly direction: 'in' | 'out';
  /** `treasury`: the operator. `outside`: an address that is not ours. */
  readonly otherSide: 'treasury' | 'outside';
  readonly otherAddress: Address;
  readonly amount: Quarters;
  readonly txHash: Hash;
  /** When we saw it; null if that was before this time was stored. */
  readonly at: Date | null;
  readonly position: PostingPosition;
};

/** A posting's place on the chain. The next page of a list begins there. */
export type PostingPosition = { readonly block: bigint; readonly logIndex: number };

type Row = Omit<OutsidePosting, 'position'> & PostingPosition;

/**
 * Postings before `before`, newest first. Payments to and from apps are left out, since their requests tell more. So are logs of
 * 0 quarters, since the token lets anybody write them about anybody.
 */
export async function listOutsidePostings(
  { query }: { query: Query },
  address: Address,
  before: PostingPosition | null,
  limit: number,
): Promise<OutsidePosting[]> {
  // Each direction has an index of such postings only, which is read from its end no further than needed. The second part leaves out
  // payments to oneself, as the first has them.
  const rows = await query<Row>(
    `SELECT direction, CASE kind WHEN 'treasury' THEN 'treasury' ELSE 'outside' END AS "otherSide", other AS "otherAddress", amount,
            tx_hash AS "txHash", posted_at AS at, outside_block AS block, log_index AS "logIndex"
       FROM (
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
  return rows.map(({ block, logIndex, ...posting }) => ({ ...posting, position: { block, logIndex } }));
}

const MAX_INT8 = 2n ** 63n - 1n;
