import type { Address } from '../base/address.ts';
import type { RequestId } from '../base/ids.ts';
import { columnsOf, type Tx } from '../db/database.ts';

/** Between whom a pending request is. */
export type Parties = { readonly id: RequestId; readonly from: Address; readonly to: Address };

/** Pending requests after an id, in their order, at most `most`. */
export async function pendingParties({ query }: Tx, after: string, most: number): Promise<Parties[]> {
  return query<Parties>(
    `SELECT id, from_address AS "from", to_address AS "to" FROM pending_requests JOIN ONLY requests ON id = request_id
      WHERE request_id > $1::uuid ORDER BY request_id LIMIT $2`,
    [after, most],
  );
}

/** Gives pending requests other addresses: what is decided stays as it was decided. */
export async function readdressPending({ query }: Tx, parties: readonly Parties[]): Promise<void> {
  await query(
    `UPDATE ONLY requests SET from_address = "from", to_address = "to"
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS given (id, "from", "to") WHERE requests.id = given.id`,
    columnsOf(parties, ['id', 'from', 'to']),
  );
}
