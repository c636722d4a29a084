import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { byteaText, jsonRows, type Queries, type Tx } from '../../db/database.ts';

export const TRANSFER_STATUSES = ['approved', 'submitted', 'completed', 'failed'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** An accepted movement of quarters, with the sender's signed authorization. */
export type Transfer = {
  readonly id: TransferId;
  /** Null if the operator issued it from the treasury. */
  readonly requestId: RequestId | null;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly status: TransferStatus;
  /** The operator has cancelled it. It becomes `failed` only when the chain shows the cancellation. */
  readonly cancelling: boolean;
  readonly nonce: Hash;
  readonly signature: Uint8Array;
  /** The transaction that carries it: the mined one, or the newest if none is mined. */
  readonly txHash: Hash;
  readonly decidedBlock: bigint | null;
  readonly createdAt: Date;
};

/** The columns of a {@link Transfer}, with the table's name where a join has others of that name. */
export const TRANSFER_COLUMNS = `transfers.id, transfers.request_id AS "requestId", transfers.from_address AS "from",
  transfers.to_address AS "to", transfers.amount, transfers.status, cancelling, authorization_nonce AS nonce,
  authorization_signature AS signature, transfers.tx_hash AS "txHash", decided_block AS "decidedBlock",
  transfers.created_at AS "createdAt"`;

export type NewTransfer = Omit<Transfer, 'status' | 'cancelling' | 'decidedBlock' | 'createdAt'>;

export async function insertTransfers({ query }: Tx, transfers: readonly NewTransfer[]): Promise<void> {
  await query(
    `INSERT INTO transfers
       (id, request_id, from_address, to_address, amount, authorization_nonce, authorization_signature, tx_hash, status)
     SELECT id, "requestId", "from", "to", amount, nonce, signature, "txHash", 'approved'
       FROM jsonb_to_recordset($1)
         AS new (id uuid, "requestId" uuid, "from" text, "to" text, amount bigint, nonce text, signature bytea, "txHash" text)`,
    [jsonRows(transfers.map((transfer) => ({ ...transfer, signature: byteaText(transfer.signature) })))],
  );
}

export async function findTransfers({ query }: Queries, ids: readonly TransferId[]): Promise<Transfer[]> {
  return query<Transfer>(`SELECT ${TRANSFER_COLUMNS} FROM transfers WHERE id = ANY($1::uuid[])`, [ids]);
}

/** The transfers of one request, oldest first: one, or two if a reward pays a part. */
export function findTransfersOfRequest(db: Queries, id: RequestId): Promise<Transfer[]> {
  return findTransfersOfRequests(db, [id]);
}

export async function findTransfersOfRequests({ query }: Queries, ids: readonly RequestId[]): Promise<Transfer[]> {
  return query<Transfer>(`SELECT ${TRANSFER_COLUMNS} FROM transfers WHERE request_id = ANY($1::uuid[]) ORDER BY id`, [
    ids,
  ]);
}

/** The transactions that pay these requests. Requests that were not approved are left out. */
export async function transactionsOfRequests(
  { query }: Queries,
  ids: readonly RequestId[],
): Promise<Map<RequestId, Hash>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ requestId: RequestId; txHash: Hash }>(
    `SELECT DISTINCT ON (request_id) request_id AS "requestId", tx_hash AS "txHash" FROM transfers
      WHERE request_id = ANY($1::uuid[]) ORDER BY request_id, id`,
    [ids],
  );
  return new Map(rows.map(({ requestId, txHash }) => [requestId, txHash]));
}

/** The transfer that a transaction carries. The hash may be that of any attempt. */
export async function findTransferByTransaction({ query }: Queries, hash: Hash): Promise<Transfer | null> {
  const [row] = await query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM transfers
      WHERE id IN (SELECT transfer_id FROM cargo JOIN transactions USING (relayer, nonce) WHERE hash = $1)
      ORDER BY id LIMIT 1`,
    [hash],
  );
  return row ?? null;
}

export type SettlementCounts = {
  readonly approved: number;
  readonly submitted: number;
  readonly signed: number;
  readonly sent: number;
};

/** How many transfers (approved, submitted) and transactions (signed, sent) are not settled yet. */
export async function countOnTheirWay({ query }: Queries): Promise<SettlementCounts> {
  const rows = await query<{ status: keyof SettlementCounts; count: bigint }>(
    `SELECT status, count(*) FROM transfers WHERE status IN ('approved', 'submitted') GROUP BY status
     UNION ALL SELECT status, count(*) FROM transactions WHERE status IN ('signed', 'sent') GROUP BY status`,
  );
  const counts = Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  return { approved: 0, submitted: 0, signed: 0, sent: 0, ...counts };
}

/** How many transfers are not settled yet. Counts up to `most`. */
export async function countOnTheWay({ query }: Queries, most: number): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (
       SELECT FROM transfers WHERE status IN ('approved', 'submitted') LIMIT $1) AS on_their_way`,
    [most],
  );
  return Number(row?.count ?? 0n);
}

/** How many transfers from or to each of these addresses are not settled yet. Addresses without any are left out. */
export async function countOnTheirWayOf(
  { query }: Queries,
  addresses: readonly Address[],
): Promise<Map<Address, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await query<{ address: Address; count: bigint }>(
    `SELECT address, count(*) FROM (
       SELECT from_address AS address FROM transfers WHERE status IN ('approved', 'submitted') AND from_address = ANY($1)
       UNION ALL
       SELECT to_address FROM transfers WHERE status IN ('approved', 'submitted') AND to_address = ANY($1)) AS ends
      GROUP BY address`,
    [addresses],
  );
  return new Map(rows.map(({ address, count }) => [address, Number(count)]));
}

/** Of the authorizations the chain shows as used or cancelled, those that belong to no transfer of ours. */
export async function authorizationsWithoutTransfer<
  Shown extends { readonly authorizer: Address; readonly nonce: Hash },
>({ query }: Queries, shown: readonly Shown[]): Promise<Shown[]> {
  if (shown.length === 0) return [];
  const rows = await query<{ place: bigint }>(
    `SELECT place FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS shown (authorizer, nonce, place)
      WHERE NOT EXISTS (
        SELECT FROM transfers
         WHERE transfers.authorization_nonce = shown.nonce AND transfers.from_address = shown.authorizer)
      ORDER BY place`,
    [shown.map(({ authorizer }) => authorizer), shown.map(({ nonce }) => nonce)],
  );
  return rows.map(({ place }) => shown[Number(place) - 1]!);
}

/** Whether there was ever a transfer to an address. */
export async function hasTransferTo({ query }: Queries, address: Address): Promise<boolean> {
  return (await query('SELECT FROM transfers WHERE to_address = $1 LIMIT 1', [address])).length > 0;
}

export async function setTransferTransaction({ query }: Tx, ids: readonly TransferId[], hash: Hash): Promise<void> {
  await query('UPDATE transfers SET tx_hash = $2 WHERE id = ANY($1::uuid[])', [ids, hash]);
}

/**
 * Which of these requests are settled: `completed` if all of their transfers were paid, otherwise `failed`. A split has two
 * transfers.
 */
export async function decidedRequests(
  { query }: Tx,
  requests: readonly RequestId[],
): Promise<{ readonly completed: readonly RequestId[]; readonly failed: readonly RequestId[] }> {
  if (requests.length === 0) return { completed: [], failed: [] };
  const rows = await query<{ id: RequestId; paid: boolean }>(
    `SELECT request_id AS id, bool_and(status = 'completed') AS paid FROM transfers WHERE request_id = ANY($1::uuid[])
      GROUP BY request_id HAVING bool_and(status IN ('completed', 'failed'))`,
    [requests],
  );
  const those = (paid: boolean) => rows.filter((row) => row.paid === paid).map(({ id }) => id);
  return { completed: those(true), failed: those(false) };
}
