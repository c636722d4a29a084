import type { Address } from '../../base/address.ts';
import { type Hash, hexToBytes } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { TransferStatus } from '../../base/transfer-statuses.ts';
import { formerNonce } from '../../chain/token.ts';
import { hashColumn } from '../../db/columns.ts';
import { columnsOf, hexText, jsonRows, type Queries, type Tx } from '../../db/database.ts';
import { liveFirst } from '../../db/live-first.ts';

/** An accepted movement of quarters. */
export type Transfer = {
  readonly id: TransferId;
  /** Null without an app: what the operator issued, withdrawals, and what closed accounts return. */
  readonly requestId: RequestId | null;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly status: TransferStatus;
  /** The operator has cancelled it. It becomes `failed` only when the chain shows the cancellation. */
  readonly cancelling: boolean;
  /** The transaction that carries it: the mined one, or the newest if none is mined. */
  readonly txHash: Hash;
  readonly relayer: Address;
  readonly relayerNonce: bigint;
  readonly decidedBlock: bigint | null;
  readonly createdAt: Date;
  /** See {@link nonceOf}. */
  readonly authorizationNonce: Hash | null;
};

/** The nonce of a transfer's authorization. That of a transfer from before nonces were stored is derived from its id. */
export function nonceOf({ id, authorizationNonce }: Pick<Transfer, 'id' | 'authorizationNonce'>): Hash {
  return authorizationNonce ?? formerNonce(id);
}

/** Whether a node has taken the transaction that carries a transfer. */
const IS_SENT = `EXISTS (
    SELECT FROM broadcasts WHERE broadcasts.relayer = transfers.relayer AND broadcasts.below > transfers.relayer_nonce)`;

/** A transfer's status at this moment: that a node has taken it is not written to its row. */
export const STATUS_NOW = `CASE WHEN transfers.status = 'approved' AND ${IS_SENT} THEN 'submitted' ELSE transfers.status END`;

export const NONCE_COLUMN = hashColumn('transfers.authorization_nonce');

/** The columns of a {@link Transfer}, with the table's name where a join has others of that name. */
export const TRANSFER_COLUMNS = `transfers.id, transfers.request_id AS "requestId", transfers.from_address AS "from",
  transfers.to_address AS "to", transfers.amount, ${STATUS_NOW} AS status, cancelling, ${hashColumn('transfers.tx_hash')} AS "txHash",
  transfers.relayer, relayer_nonce AS "relayerNonce", decided_block AS "decidedBlock", transfers.created_at AS "createdAt",
  ${NONCE_COLUMN} AS "authorizationNonce"`;

export type NewTransfer = Pick<
  Transfer,
  'id' | 'requestId' | 'from' | 'to' | 'amount' | 'txHash' | 'relayer' | 'relayerNonce' | 'authorizationNonce'
> & {
  /** Its request has a second transfer: a reward pays a part. */
  readonly isSplit: boolean;
};

export async function insertTransfers(tx: Tx, transfers: readonly NewTransfer[]): Promise<void> {
  await Promise.all([
    tx.query(
      `INSERT INTO transfers (id, request_id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, is_split, status,
                              authorization_nonce)
       SELECT id, "requestId", "from", "to", amount, "txHash", relayer, "relayerNonce", "isSplit", 'approved',
              "authorizationNonce"
         FROM jsonb_to_recordset($1)
           AS new (id uuid, "requestId" uuid, "from" text, "to" text, amount bigint, "txHash" bytea, relayer text,
                   "relayerNonce" bigint, "isSplit" boolean, "authorizationNonce" bytea)`,
      [
        jsonRows(
          transfers.map((transfer) => ({
            ...transfer,
            txHash: hexText(transfer.txHash),
            authorizationNonce: hexText(nonceOf(transfer)),
          })),
        ),
      ],
    ),
    openTransfers(tx, transfers),
  ]);
}

/** Lists transfers as open: from now on the log of their authorization settles them. */
export async function openTransfers(
  { query }: Tx,
  transfers: readonly Pick<Transfer, 'id' | 'from' | 'to' | 'authorizationNonce'>[],
): Promise<void> {
  await query(
    `INSERT INTO open_transfers (authorization_nonce, transfer_id, from_address, to_address)
     SELECT * FROM unnest($1::bytea[], $2::uuid[], $3::text[], $4::text[])`,
    [transfers.map((transfer) => hexToBytes(nonceOf(transfer))), ...columnsOf(transfers, ['id', 'from', 'to'])],
  );
}

export async function findTransfers({ query }: Queries, ids: readonly TransferId[]): Promise<Transfer[]> {
  return liveFirst(
    ids,
    ({ id }) => id,
    (some) => query<Transfer>(`SELECT ${TRANSFER_COLUMNS} FROM ONLY transfers WHERE id = ANY($1::uuid[])`, [some]),
    (some) => query<Transfer>(`SELECT ${TRANSFER_COLUMNS} FROM transfers WHERE id = ANY($1::uuid[])`, [some]),
  );
}

/** The transfers of requests, oldest first. A request has one, or two if a reward pays a part. */
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
  type Row = { readonly requestId: RequestId; readonly txHash: Hash };
  const columns = `DISTINCT ON (request_id) request_id AS "requestId", ${hashColumn('tx_hash')} AS "txHash"`;
  const which = 'WHERE request_id = ANY($1::uuid[]) ORDER BY request_id, id';
  const rows = await liveFirst<RequestId, Row>(
    ids,
    ({ requestId }) => requestId,
    (some) => query<Row>(`SELECT ${columns} FROM ONLY transfers ${which}`, [some]),
    (some) => query<Row>(`SELECT ${columns} FROM transfers ${which}`, [some]),
  );
  return new Map(rows.map(({ requestId, txHash }) => [requestId, txHash]));
}

/** Which of these requests a transaction pays. */
export async function requestsInTransaction(
  { query }: Queries,
  ids: readonly RequestId[],
  hash: Hash,
): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(
    'SELECT DISTINCT request_id AS id FROM transfers WHERE request_id = ANY($1::uuid[]) AND tx_hash = $2',
    [ids, hexToBytes(hash)],
  );
  return rows.map(({ id }) => id);
}

// Of recovered transfers no transaction is stored. There are few, or none.
const CARRIED_BY = `(
  id = ANY((SELECT payload FROM transactions WHERE transactions.relayer = $1 AND nonce = $2 AND hash = $3)::uuid[])
  OR id = ANY(ARRAY(SELECT transfer_id FROM recovered_payments JOIN transfers AS recovered ON recovered.id = transfer_id
                     WHERE recovered.tx_hash = $3)))`;

/** The first transfer that a transaction carries. Null too if the relayer's transaction at that nonce is not ours. */
export async function findTransferByTransaction(
  { query }: Queries,
  { relayer, nonce, hash }: { readonly relayer: Address; readonly nonce: bigint; readonly hash: Hash },
): Promise<Transfer | null> {
  const [row] = await query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM transfers WHERE ${CARRIED_BY} ORDER BY id LIMIT 1`,
    [relayer, nonce, hexToBytes(hash)],
  );
  return row ?? null;
}

/** The requests that a stored transaction carries, in no particular order. */
export async function requestsCarriedBy(
  { query }: Queries,
  { relayer, nonce, hash }: { readonly relayer: Address; readonly nonce: bigint; readonly hash: Hash },
): Promise<RequestId[]> {
  const rows = await query<{ id: RequestId }>(
    `SELECT DISTINCT request_id AS id FROM transfers
      WHERE request_id IS NOT NULL AND ${CARRIED_BY}`,
    [relayer, nonce, hexToBytes(hash)],
  );
  return rows.map(({ id }) => id);
}

/**
 * The condition for transfers that are not settled. As an array, because the planner knows little of a table whose rows come and go: this
 * way it always looks transfers up by their ids.
 */
export const IS_OPEN = 'transfers.id = ANY(ARRAY(SELECT transfer_id FROM open_transfers))';

/** How many transfers are not settled yet. Counts up to `most`. */
export async function countOpenTransfers({ query }: Queries, most: number): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    'SELECT count(*) AS count FROM (SELECT FROM open_transfers LIMIT $1) AS counted',
    [most],
  );
  return Number(row?.count ?? 0n);
}

/** What is held for open transfers, in quarters, and when the oldest of them was accepted; null if there is none. */
export async function sumOpenTransfers({
  query,
}: Queries): Promise<{ readonly quarters: Quarters; readonly oldestAt: Date | null }> {
  const [row] = await query<{ quarters: Quarters; oldestAt: Date | null }>(
    `SELECT coalesce(sum(amount), 0)::bigint AS quarters, min(created_at) AS "oldestAt" FROM ONLY transfers WHERE ${IS_OPEN}`,
  );
  return row!;
}

/** How many open transfers are in a transaction that a node has taken. */
export async function countSubmitted({ query }: Queries): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    `SELECT count(*) AS count FROM ONLY transfers WHERE ${IS_OPEN} AND ${STATUS_NOW} = 'submitted'`,
  );
  return Number(row?.count ?? 0n);
}

/** How many transfers from or to each of these addresses are not settled yet. Addresses without any are left out. */
export async function countOpenTransfersOf(
  { query }: Queries,
  addresses: readonly Address[],
): Promise<Map<Address, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await query<{ address: Address; count: bigint }>(
    `SELECT address, count(*) FROM (
       SELECT from_address AS address FROM open_transfers WHERE from_address = ANY($1)
       UNION ALL
       SELECT to_address FROM open_transfers WHERE to_address = ANY($1)) AS ends
      GROUP BY address`,
    [addresses],
  );
  return new Map(rows.map(({ address, count }) => [address, Number(count)]));
}

/**
 * Which of these requests are settled: `completed` if all of their transfers were paid, otherwise `failed`. A split has two
 * transfers.
 */
export async function settledRequests(
  { query }: Tx,
  requests: readonly RequestId[],
): Promise<{ readonly completed: readonly RequestId[]; readonly failed: readonly RequestId[] }> {
  if (requests.length === 0) return { completed: [], failed: [] };
  const rows = await query<{ id: RequestId; paid: boolean }>(
    `SELECT request_id AS id, bool_and(status = 'completed') AS paid FROM ONLY transfers WHERE request_id = ANY($1::uuid[])
      GROUP BY request_id HAVING bool_and(status IN ('completed', 'failed'))`,
    [requests],
  );
  const those = (paid: boolean) => rows.filter((row) => row.paid === paid).map(({ id }) => id);
  return { completed: those(true), failed: those(false) };
}

/** Whether there was ever a transfer to an address. */
export async function hasTransferTo({ query }: Queries, address: Address): Promise<boolean> {
  return (await query('SELECT FROM transfers WHERE to_address = $1 LIMIT 1', [address])).length > 0;
}
