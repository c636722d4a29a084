import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { hashColumn } from '../../db/columns.ts';
import type { Queries } from '../../db/database.ts';

/** What a completed transfer has in common with the log that paid it. */
export type PaidTransfer = {
  readonly id: TransferId;
  /** Null if it pays no request: the operator issued it, or a closed account returned it. */
  readonly requestId: RequestId | null;
  readonly txHash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
};

/** The transfers that were completed in the blocks after one and up to another, oldest first. */
export async function transfersPaidIn({ query }: Queries, after: bigint, upTo: bigint): Promise<PaidTransfer[]> {
  return query<PaidTransfer>(
    `SELECT id, request_id AS "requestId", ${hashColumn('tx_hash')} AS "txHash", from_address AS "from", to_address AS "to", amount
       FROM transfers WHERE status = 'completed' AND decided_block > $1 AND decided_block <= $2 ORDER BY created_at, id`,
    [after, upTo],
  );
}
