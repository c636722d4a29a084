import type { Address } from '../../base/address.ts';
import { HIGHEST_ID, LOWEST_ID, type RequestId, type TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { TransferStatus } from '../../base/transfer-statuses.ts';
import { timeOfId } from '../../db/columns.ts';
import { CONFIRMED } from '../../db/commits.ts';
import type { Queries } from '../../db/database.ts';
import { IN_STRETCH, type Stretch, type Whose, whoseRequests } from '../../requests/request-list.ts';
import { placeOfRequest } from '../../requests/requests.ts';
import { IS_OPEN, STATUS_NOW, TRANSFER_COLUMNS, type Transfer } from './transfers.ts';

/** As `placeOfRequest`. */
const placeOfTransfer = (id: string): string =>
  `(coalesce((SELECT placed.created_at FROM transfers AS placed WHERE placed.id = ${id}), ${timeOfId(id)}), ${id}::uuid)`;

export type TransferFilter = {
  readonly requestId: RequestId | null;
  readonly statuses: readonly TransferStatus[] | null;
  /** `in`: to one of these addresses; `out`: from one of them. */
  readonly direction: { readonly of: readonly Address[]; readonly way: 'in' | 'out' } | null;
  readonly createdFrom: Date | null;
  readonly createdBefore: Date | null;
  /** That of the transfer, or of a payment that has two. */
  readonly amount?: Quarters | null;
  /** A part of the description, in any letter case. Transfers without a request have none. */
  readonly text?: string | null;
};

/** A transfer is looked at first, and its request only if that may match. */
const matches = (amount: `$${number}`, text: `$${number}`): string =>
  `(${amount}::bigint IS NULL OR transfers.amount = ${amount}
         OR is_split AND (SELECT asked.amount FROM requests AS asked WHERE asked.id = transfers.request_id) = ${amount})
        AND (${text}::text IS NULL OR (SELECT strpos(lower(description), lower(${text})) > 0
                                  FROM requests AS described WHERE described.id = transfers.request_id))`;

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
  { requestId, statuses, direction, createdFrom, createdBefore, amount = null, text = null }: TransferFilter,
  most: number,
): Promise<Transfer[]> {
  const { appId, userId, from, to } = whose;
  return query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM requests JOIN transfers ON request_id = requests.id
      WHERE ${whoseRequests(whose)} AND ${IN_STRETCH}
        AND ($5::uuid IS NULL OR (requests.created_at, requests.id) < ${placeOfRequest('$5')}
             OR requests.id = $5 AND transfers.id < $6::uuid)
        AND ($7::uuid IS NULL OR requests.id = $7)
        AND ($8::text[] IS NULL OR ${STATUS_NOW} = ANY($8))
        AND ($9::text[] IS NULL OR CASE WHEN $10 THEN transfers.to_address ELSE transfers.from_address END = ANY($9))
        AND ($11::timestamptz IS NULL OR transfers.created_at >= $11)
        AND ($12::timestamptz IS NULL OR transfers.created_at < $12)
        AND ${matches('$14', '$15')}
      ORDER BY requests.created_at DESC, requests.id DESC, transfers.id DESC LIMIT $13`,
    [
      ...[appId, userId, to, from, after?.request ?? null, after?.transfer ?? null, requestId, statuses],
      ...[direction?.of ?? null, direction?.way === 'in', createdFrom, createdBefore, most, amount, text],
    ],
  );
}

/** The transfers with these ids that are not archived, in no particular order, when a standby has everything that the statement has read. */
export async function findConfirmedTransfers({ query }: Queries, ids: readonly TransferId[]): Promise<Transfer[]> {
  const rows = await query<Transfer & { readonly confirmed: true }>(
    `SELECT ${TRANSFER_COLUMNS}, ${CONFIRMED} FROM ONLY transfers WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return rows.map(({ confirmed, ...transfer }) => transfer);
}

/** How many transfers one page of all transfers reads. */
const MOST_LOOKED_AT = 5_000;

/**
 * The matching transfers of all apps and of the operator, newest first, at most `most`. With `after`, only older ones. `edge`: the
 * last transfer that was looked at, after which the list continues; null if it was the last there is. So a page may be empty.
 */
export async function readAllTransfers(
  { query }: Queries,
  after: TransferId | null,
  { statuses, createdFrom, createdBefore, amount = null, text = null }: Omit<TransferFilter, 'requestId' | 'direction'>,
  most: number,
): Promise<{ readonly transfers: readonly Transfer[]; readonly edge: TransferId | null }> {
  // Those on their way are few and listed apart, however old they are.
  const isOpen = statuses?.every((status) => status === 'approved' || status === 'submitted') ?? false;
  const from = after ?? HIGHEST_ID;
  // The bounds are in both statements, so that nothing outside is looked at.
  const [last] = isOpen
    ? []
    : await query<{ id: TransferId }>(
        `SELECT id FROM transfers WHERE (created_at, id) < ${placeOfTransfer('$1')}
            AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
          ORDER BY created_at DESC, id DESC OFFSET $2 LIMIT 1`,
        [from, MOST_LOOKED_AT - 1, createdFrom, createdBefore],
      );
  const transfers = await query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM transfers
      WHERE (created_at, id) < ${placeOfTransfer('$1')} AND (created_at, id) >= ${placeOfTransfer('$2')}
        AND ${isOpen ? IS_OPEN : 'true'}
        AND ($3::text[] IS NULL OR ${STATUS_NOW} = ANY($3))
        AND ($4::timestamptz IS NULL OR created_at < $4)
        AND ($6::timestamptz IS NULL OR created_at >= $6)
        AND ${matches('$7', '$8')}
      ORDER BY created_at DESC, id DESC LIMIT $5`,
    [from, last?.id ?? LOWEST_ID, statuses, createdBefore, most, createdFrom, amount, text],
  );
  return { transfers, edge: last?.id ?? null };
}
