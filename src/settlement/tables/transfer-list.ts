import type { Address } from '../../base/address.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Queries } from '../../db/database.ts';
import { type Stretch, type Whose, whoseRequests } from '../../requests/request-list.ts';
import { STATUS_NOW, TRANSFER_COLUMNS, type Transfer, type TransferStatus } from './transfers.ts';

export type TransferFilter = {
  readonly requestId: RequestId | null;
  readonly statuses: readonly TransferStatus[] | null;
  /** `in`: to this account; `out`: from it. */
  readonly direction: { readonly of: Address; readonly way: 'in' | 'out' } | null;
  readonly createdFrom: Date | null;
  readonly createdBefore: Date | null;
};

export type TransferPosition = { readonly request: RequestId; readonly transfer: TransferId };

/** Whose transfers to list: an app's, or an app's with one user, for requests with the ids `from` to `to`, both included. */
export type TransfersOf = Whose & Pick<Stretch, 'from' | 'to'>;

/**
 * The matching transfers, at most `most`: those of the newest request first, and the newest of each request first. With `after`, only
 * those after this one in that order.
 */
export async function readTransferPage(
  { query }: Queries,
  whose: TransfersOf,
  after: TransferPosition | null,
  { requestId, statuses, direction, createdFrom, createdBefore }: TransferFilter,
  most: number,
): Promise<Transfer[]> {
  const { appId, userId, from, to } = whose;
  return query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM requests JOIN transfers ON request_id = requests.id
      WHERE ${whoseRequests(whose)} AND requests.id <= $3 AND requests.id >= $4
        AND ($5::uuid IS NULL OR (requests.id, transfers.id) < ($5, $6::uuid))
        AND ($7::uuid IS NULL OR requests.id = $7)
        AND ($8::text[] IS NULL OR ${STATUS_NOW} = ANY($8))
        AND ($9::text IS NULL OR CASE WHEN $10 THEN transfers.to_address ELSE transfers.from_address END = $9)
        AND ($11::timestamptz IS NULL OR transfers.created_at >= $11)
        AND ($12::timestamptz IS NULL OR transfers.created_at < $12)
      ORDER BY requests.id DESC, transfers.id DESC LIMIT $13`,
    [
      ...[appId, userId, to, from, after?.request ?? null, after?.transfer ?? null, requestId, statuses],
      ...[direction?.of ?? null, direction?.way === 'in', createdFrom, createdBefore, most],
    ],
  );
}
