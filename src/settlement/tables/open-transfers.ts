import type { Address } from '../../base/address.ts';
import type { Queries } from '../../db/database.ts';
import { IS_OPEN, TRANSFER_COLUMNS, type Transfer } from './transfers.ts';

/** The next transfers after an id that are not settled yet, at most `most`. */
export async function listOpenTransfers({ query }: Queries, after: string, most: number): Promise<Transfer[]> {
  return query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM ONLY transfers WHERE ${IS_OPEN} AND id > $1::uuid ORDER BY id LIMIT $2`,
    [after, most],
  );
}

/** Transfers from these addresses that are not settled yet, oldest first, at most `most`. */
export async function listOpenTransfersFrom(
  { query }: Queries,
  addresses: readonly Address[],
  most: number,
): Promise<Transfer[]> {
  if (addresses.length === 0) return [];
  return query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM ONLY transfers
      WHERE id = ANY(ARRAY(SELECT transfer_id FROM open_transfers WHERE from_address = ANY($1))) ORDER BY created_at, id LIMIT $2`,
    [addresses, most],
  );
}
