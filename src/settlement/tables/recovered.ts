import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import { madeAt, type RequestId, type TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { byteaText, columnsOf, hexText, jsonRows, type Queries, type Tx } from '../../db/database.ts';

// What a restored database has learned from the chain: see features/restore.

/** A payment that the chain shows and the database had lost. */
export type RecoveredTransfer = {
  readonly id: TransferId;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly nonce: Hash;
  readonly txHash: Hash;
  /** Who sent the transaction, and its nonce. */
  readonly sender: { readonly address: Address; readonly nonce: bigint };
  readonly block: bigint;
  readonly at: Date;
};

/** What was paid, or cancelled. `transferId`: null if cancelled. */
export type RecoveredPayment = {
  /** 16 bytes: the mark of a `PaymentName`. */
  readonly what: Uint8Array;
  readonly transferId: TransferId | null;
  readonly decidedAt: Date;
};

/** When the newest transfer was accepted that was not recovered; null if there is none. */
export async function newestAcceptance({ query }: Queries): Promise<Date | null> {
  const [row] = await query<{ id: TransferId }>(
    `SELECT id FROM transfers
      WHERE id NOT IN (SELECT transfer_id FROM recovered_payments WHERE transfer_id IS NOT NULL) ORDER BY id DESC LIMIT 1`,
  );
  return row ? madeAt(row.id) : null;
}

/** Stores recovered transfers as completed, and what they paid. Those that are stored already stay. */
export async function insertRecovered(
  { query }: Tx,
  transfers: readonly RecoveredTransfer[],
  payments: readonly RecoveredPayment[],
): Promise<void> {
  await query(
    `INSERT INTO transfers (id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, is_split, status,
                            decided_block, created_at, authorization_nonce)
     SELECT id, "from", "to", amount, "txHash", sender, "senderNonce", false, 'completed', block, at, nonce
       FROM jsonb_to_recordset($1)
         AS new (id uuid, "from" text, "to" text, amount bigint, "txHash" bytea, sender text, "senderNonce" bigint, block bigint,
                 at timestamptz, nonce bytea)
     ON CONFLICT DO NOTHING`,
    [
      jsonRows(
        transfers.map(({ sender, txHash, nonce, ...transfer }) => ({
          ...transfer,
          ...{ sender: sender.address, senderNonce: sender.nonce, txHash: hexText(txHash), nonce: hexText(nonce) },
        })),
      ),
    ],
  );
  await query(
    `INSERT INTO recovered_payments (what, transfer_id, decided_at)
     SELECT what, "transferId", "decidedAt" FROM jsonb_to_recordset($1) AS new (what bytea, "transferId" uuid, "decidedAt" timestamptz)
     ON CONFLICT DO NOTHING`,
    [jsonRows(payments.map(({ what, ...payment }) => ({ ...payment, what: byteaText(what) })))],
  );
}

/** What was recovered of these payments, in no particular order. */
export async function findRecovered({ query }: Queries, whats: readonly Uint8Array[]): Promise<RecoveredPayment[]> {
  if (whats.length === 0) return [];
  return query<RecoveredPayment>(
    `SELECT what, transfer_id AS "transferId", decided_at AS "decidedAt" FROM recovered_payments WHERE what = ANY($1::bytea[])`,
    [whats],
  );
}

/** What is cancelled of what was recovered, in hex; null if nothing was recovered. */
export async function readRecovery({ query }: Queries): Promise<{ readonly cancelled: ReadonlySet<string> } | null> {
  const [row] = await query<{ any: boolean; cancelled: string[] }>(
    `SELECT EXISTS (SELECT FROM recovered_payments) AS any,
            ARRAY(SELECT encode(what, 'hex') FROM recovered_payments WHERE transfer_id IS NULL) AS cancelled`,
  );
  return row!.any ? { cancelled: new Set(row!.cancelled) } : null;
}

/** A recovered payment of an app of which nothing else is known. */
export type UnnamedPayout = Pick<RecoveredTransfer, 'id' | 'from' | 'to' | 'amount' | 'at'> & {
  readonly what: Buffer;
};

/** The next recovered payments of these payers without a request, after an id (in their order), at most `most`. */
export async function unnamedPayouts({ query }: Queries, after: string, most: number): Promise<UnnamedPayout[]> {
  return query<UnnamedPayout>(
    `SELECT id, from_address AS "from", to_address AS "to", amount, what, decided_at AS at
       FROM transfers JOIN recovered_payments ON transfer_id = id
      WHERE id > $1::uuid AND request_id IS NULL ORDER BY id LIMIT $2`,
    [after, most],
  );
}

/** Recovered payments without a request whose names begin with one of these bytes. */
export async function unnamedPayoutsUnder({ query }: Queries, beginnings: readonly Buffer[]): Promise<UnnamedPayout[]> {
  const ends = (byte: number) =>
    beginnings.map((bytes) => Buffer.concat([bytes, Buffer.alloc(16 - bytes.length, byte)]));
  return query<UnnamedPayout>(
    `SELECT id, from_address AS "from", to_address AS "to", amount, what, decided_at AS at
       FROM unnest($1::bytea[], $2::bytea[]) AS named (first, last)
       JOIN recovered_payments ON what BETWEEN named.first AND named.last
       JOIN transfers ON transfer_id = id
      WHERE request_id IS NULL ORDER BY id`,
    [ends(0x00), ends(0xff)],
  );
}

/**
 * Gives completed transfers their requests. `isSplit`: a reward pays a part. Those that have one keep it. Returns the ids of those that got
 * one. Call it under the follower's lock: a reorganisation opens transfers again.
 */
export async function nameTransfers(
  { query }: Tx,
  named: readonly { readonly id: TransferId; readonly requestId: RequestId; readonly isSplit: boolean }[],
): Promise<TransferId[]> {
  const rows = await query<{ id: TransferId }>(
    `UPDATE transfers SET request_id = named.request_id, is_split = named.is_split
       FROM unnest($1::uuid[], $2::uuid[], $3::boolean[]) AS named (id, request_id, is_split)
      WHERE transfers.id = named.id AND transfers.request_id IS NULL AND status = 'completed' RETURNING transfers.id`,
    columnsOf(named, ['id', 'requestId', 'isSplit']),
  );
  return rows.map(({ id }) => id);
}
