import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { AppId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { addressNow, hashColumn } from '../db/columns.ts';
import type { Queries } from '../db/database.ts';
import type { AccountKind } from './accounts.ts';

/** A posting with what is known of its two accounts. */
export type OwnedPosting = {
  readonly block: bigint;
  readonly logIndex: number;
  readonly txHash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  /** When we saw its block; null if that was before this time was stored. */
  readonly at: Date | null;
  readonly fromKind: AccountKind;
  readonly toKind: AccountKind;
  /** From an address that its account has left to where it is now. */
  readonly isMove: boolean;
  /** The apps whose accounts these are. */
  readonly fromAppId: AppId | null;
  readonly toAppId: AppId | null;
};

/** The postings of the blocks after one and up to another, in the chain's order. Logs of 0 quarters are left out: anybody can write them. */
export async function postingsOfBlocks({ query }: Queries, after: bigint, upTo: bigint): Promise<OwnedPosting[]> {
  return query<OwnedPosting>(
    `SELECT block_number AS block, log_index AS "logIndex", ${hashColumn('tx_hash')} AS "txHash", from_address AS "from",
            to_address AS "to", amount, posted_at AS at, coalesce(sender.kind, 'external') AS "fromKind",
            coalesce(recipient.kind, 'external') AS "toKind", sender.app_id AS "fromAppId", recipient.app_id AS "toAppId",
            from_address <> to_address AND sender.address IS NOT DISTINCT FROM recipient.address AS "isMove"
       FROM postings
       LEFT JOIN accounts AS payer ON payer.address = from_address
       LEFT JOIN accounts AS sender ON sender.address = ${addressNow('payer')}
       LEFT JOIN accounts AS payee ON payee.address = to_address
       LEFT JOIN accounts AS recipient ON recipient.address = ${addressNow('payee')}
      WHERE block_number > $1 AND block_number <= $2 AND amount > 0
      ORDER BY block_number, log_index`,
    [after, upTo],
  );
}

/** A block at or after a number that has postings, and when we saw the first of them. Null: there is none. */
type SeenBlock = { readonly number: bigint; readonly at: Date | null };

async function nextSeenBlock({ query }: Queries, from: bigint): Promise<SeenBlock | null> {
  const [row] = await query<SeenBlock>(
    `SELECT block_number AS number, min(posted_at) AS at FROM postings
      WHERE block_number = (SELECT block_number FROM postings WHERE block_number >= $1 ORDER BY block_number LIMIT 1)
      GROUP BY block_number`,
    [from],
  );
  return row ?? null;
}

/**
 * The last block before a time: all postings that we saw earlier are in blocks up to it. Blocks are posted in their order, so a binary
 * search finds it without an index of times. `newest`: a block at or above all postings.
 */
export async function lastBlockBefore(db: Queries, time: Date, newest: bigint): Promise<bigint> {
  let [low, high] = [-1n, newest];
  while (low < high) {
    const middle = low + (high - low) / 2n;
    const seen = await nextSeenBlock(db, middle + 1n);
    // A block without a time is older than all that have one.
    if (seen && seen.number <= high && (seen.at === null || seen.at < time)) low = seen.number;
    else high = middle;
  }
  return low;
}
