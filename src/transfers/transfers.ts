import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash } from '../base/hex.ts';
import type { RequestId, TransferId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query, Tx } from '../db/database.ts';

export const TRANSFER_STATUSES = ['approved', 'submitted', 'completed', 'failed'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** Quarters that were decided to move, with the sender's signed authorization. */
export type Transfer = {
  readonly id: TransferId;
  /** Null for an operator's own transfer from the treasury. */
  readonly requestId: RequestId | null;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly status: TransferStatus;
  /** The operator wants it cancelled; it is `failed` only when the chain says so. */
  readonly cancelling: boolean;
  readonly nonce: Hash;
  readonly signature: Uint8Array;
  /** The transaction that carries it: the mined one where there is one, else the newest. */
  readonly txHash: Hash;
  readonly decidedBlock: bigint | null;
  readonly createdAt: Date;
};

export type TransferRow = {
  id: string;
  request_id: string | null;
  from_address: string;
  to_address: string;
  amount: bigint;
  status: TransferStatus;
  cancelling: boolean;
  authorization_nonce: string;
  authorization_signature: Buffer;
  tx_hash: string;
  decided_block: bigint | null;
  created_at: Date;
};

export const COLUMNS = `transfers.id, transfers.request_id, transfers.from_address, transfers.to_address, transfers.amount,
  transfers.status, transfers.cancelling, transfers.authorization_nonce, transfers.authorization_signature, transfers.tx_hash,
  transfers.decided_block, transfers.created_at`;

export function toTransfer(row: TransferRow): Transfer {
  return {
    id: row.id as TransferId,
    requestId: row.request_id as RequestId | null,
    from: asAddress(row.from_address),
    to: asAddress(row.to_address),
    amount: asQuarters(row.amount),
    status: row.status,
    cancelling: row.cancelling,
    nonce: asHash(row.authorization_nonce),
    signature: row.authorization_signature,
    txHash: asHash(row.tx_hash),
    decidedBlock: row.decided_block,
    createdAt: row.created_at,
  };
}

export type NewTransfer = Omit<Transfer, 'status' | 'cancelling' | 'decidedBlock' | 'createdAt'>;

export async function insertTransfers({ query }: Tx, transfers: readonly NewTransfer[]): Promise<void> {
  await query(
    `INSERT INTO transfers
       (id, request_id, from_address, to_address, amount, authorization_nonce, authorization_signature, tx_hash, status)
     SELECT id, request_id, from_address, to_address, amount, nonce, decode(substr(signature, 3), 'hex'), tx_hash, 'approved'
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
         AS new (id, request_id, from_address, to_address, amount, nonce, signature, tx_hash)`,
    [
      transfers.map((t) => t.id),
      transfers.map((t) => t.requestId),
      transfers.map((t) => t.from),
      transfers.map((t) => t.to),
      transfers.map((t) => t.amount),
      transfers.map((t) => t.nonce),
      transfers.map((t) => bytesToHex(t.signature)),
      transfers.map((t) => t.txHash),
    ],
  );
}

export async function findTransfers({ query }: { query: Query }, ids: readonly TransferId[]): Promise<Transfer[]> {
  const rows = await query<TransferRow>(`SELECT ${COLUMNS} FROM transfers WHERE id = ANY($1::uuid[])`, [ids]);
  return rows.map(toTransfer);
}

/** The transfers of one request, oldest first: one, or two where a reward pays a part. */
export function findTransfersOfRequest(db: { query: Query }, id: RequestId): Promise<Transfer[]> {
  return findTransfersOfRequests(db, [id]);
}

export async function findTransfersOfRequests(
  { query }: { query: Query },
  ids: readonly RequestId[],
): Promise<Transfer[]> {
  const rows = await query<TransferRow>(
    `SELECT ${COLUMNS} FROM transfers WHERE request_id = ANY($1::uuid[]) ORDER BY id`,
    [ids],
  );
  return rows.map(toTransfer);
}

/** The transactions that pay these requests, as far as they were approved; of a spend with a reward the spend's. */
export async function transactionsOfRequests(
  { query }: { query: Query },
  ids: readonly RequestId[],
): Promise<Map<RequestId, Hash>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ request_id: string; tx_hash: string }>(
    `SELECT DISTINCT ON (request_id) request_id, tx_hash FROM transfers
      WHERE request_id = ANY($1::uuid[]) ORDER BY request_id, id`,
    [ids],
  );
  return new Map(rows.map((row) => [row.request_id as RequestId, asHash(row.tx_hash)]));
}

/** The transfer a transaction hash belongs to, whichever attempt the hash is of. */
export async function findTransferByTransaction({ query }: { query: Query }, hash: Hash): Promise<Transfer | null> {
  const [row] = await query<TransferRow>(
    `SELECT ${COLUMNS} FROM transfers
      WHERE id IN (SELECT transfer_id FROM cargo JOIN transactions USING (relayer, nonce) WHERE hash = $1)
      ORDER BY id LIMIT 1`,
    [hash],
  );
  return row ? toTransfer(row) : null;
}

export type TransferOnItsWay = {
  readonly id: TransferId;
  readonly from: Address;
  readonly amount: Quarters;
  readonly nonce: Hash;
};

export async function transfersOnTheirWay({ query }: Tx): Promise<TransferOnItsWay[]> {
  const rows = await query<{ id: string; from_address: string; amount: bigint; authorization_nonce: string }>(
    `SELECT id, from_address, amount, authorization_nonce FROM transfers
      WHERE status IN ('approved', 'submitted') ORDER BY id`,
  );
  return rows.map((row) => ({
    id: row.id as TransferId,
    from: asAddress(row.from_address),
    amount: asQuarters(row.amount),
    nonce: asHash(row.authorization_nonce),
  }));
}

export type SettlementCounts = {
  readonly approved: number;
  readonly submitted: number;
  readonly signed: number;
  readonly sent: number;
};

/** How much is on its way now: transfers (approved, submitted) and transactions (signed, sent). */
export async function countOnTheirWay({ query }: { query: Query }): Promise<SettlementCounts> {
  const rows = await query<{ status: keyof SettlementCounts; count: bigint }>(
    `SELECT status, count(*) FROM transfers WHERE status IN ('approved', 'submitted') GROUP BY status
     UNION ALL SELECT status, count(*) FROM transactions WHERE status IN ('signed', 'sent') GROUP BY status`,
  );
  const counts = Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  return { approved: 0, submitted: 0, signed: 0, sent: 0, ...counts };
}

/** How many transfers are on their way. Counting stops at `most`. */
export async function countOnTheWay({ query }: { query: Query }, most: number): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (
       SELECT FROM transfers WHERE status IN ('approved', 'submitted') LIMIT $1) AS on_their_way`,
    [most],
  );
  return Number(row?.count ?? 0n);
}

/** How many transfers from or to each of these addresses are on their way; those without any are left out. */
export async function countOnTheirWayOf(
  { query }: { query: Query },
  addresses: readonly Address[],
): Promise<Map<Address, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await query<{ address: string; count: bigint }>(
    `SELECT address, count(*) FROM (
       SELECT from_address AS address FROM transfers WHERE status IN ('approved', 'submitted') AND from_address = ANY($1)
       UNION ALL
       SELECT to_address FROM transfers WHERE status IN ('approved', 'submitted') AND to_address = ANY($1)) AS ends
      GROUP BY address`,
    [addresses],
  );
  return new Map(rows.map((row) => [asAddress(row.address), Number(row.count)]));
}

/** Of what the chain shows as used or cancelled, that which belongs to no transfer of ours. */
export async function authorizationsWithoutTransfer<
  Shown extends { readonly authorizer: Address; readonly nonce: Hash },
>({ query }: { query: Query }, shown: readonly Shown[]): Promise<Shown[]> {
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

/** Whether anything was ever decided to move to an address. */
export async function hasTransferTo({ query }: { query: Query }, address: Address): Promise<boolean> {
  return (await query('SELECT FROM transfers WHERE to_address = $1 LIMIT 1', [address])).length > 0;
}

export async function setTransferTransaction({ query }: Tx, ids: readonly TransferId[], hash: Hash): Promise<void> {
  await query('UPDATE transfers SET tx_hash = $2 WHERE id = ANY($1::uuid[])', [ids, hash]);
}

/**
 * Of these requests, those nothing of which is on its way any more (a spend with a reward has two transfers): `completed` where
 * all of it was paid, else `failed`.
 */
export async function decidedRequests(
  { query }: Tx,
  requests: readonly RequestId[],
): Promise<{ readonly completed: readonly RequestId[]; readonly failed: readonly RequestId[] }> {
  if (requests.length === 0) return { completed: [], failed: [] };
  const rows = await query<{ request_id: string; paid: boolean }>(
    `SELECT request_id, bool_and(status = 'completed') AS paid FROM transfers WHERE request_id = ANY($1::uuid[])
      GROUP BY request_id HAVING bool_and(status IN ('completed', 'failed'))`,
    [requests],
  );
  const those = (paid: boolean) => rows.filter((row) => row.paid === paid).map((row) => row.request_id as RequestId);
  return { completed: those(true), failed: those(false) };
}
