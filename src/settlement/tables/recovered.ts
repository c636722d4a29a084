import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { hashColumn } from '../../db/columns.ts';
import { byteaText, columnsOf, hexText, jsonRows, type Queries, type Tx } from '../../db/database.ts';
import type { Transfer } from './transfers.ts';

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
  readonly sender: { readonly relayer: Address; readonly nonce: bigint };
  readonly block: bigint;
  readonly at: Date;
};

/** What was paid, or cancelled. */
export type RecoveredPayment = {
  /** 16 bytes, which name what was paid: see `PaymentName`. */
  readonly what: Uint8Array;
  /** Null if it was cancelled. */
  readonly transferId: TransferId | null;
  readonly decidedAt: Date;
  /** The accounts of the player and the app, in any order, until its request is known; null if it has none. */
  readonly parties: readonly [Address, Address] | null;
};

/**
 * Stores recovered transfers as completed, and what they paid. Those that are stored already stay, but for what was cancelled until a
 * reorganisation had it paid.
 */
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
          ...{ sender: sender.relayer, senderNonce: sender.nonce, txHash: hexText(txHash), nonce: hexText(nonce) },
        })),
      ),
    ],
  );
  await query(
    `INSERT INTO recovered_payments (what, transfer_id, decided_at, one_party, other_party)
     SELECT what, "transferId", "decidedAt", one, other
       FROM jsonb_to_recordset($1) AS new (what bytea, "transferId" uuid, "decidedAt" timestamptz, one text, other text)
     ON CONFLICT (what) DO UPDATE
       SET transfer_id = excluded.transfer_id, decided_at = excluded.decided_at,
           one_party = excluded.one_party, other_party = excluded.other_party
       WHERE recovered_payments.transfer_id IS NULL AND excluded.transfer_id IS NOT NULL`,
    [
      jsonRows(
        payments.map(({ what, parties, ...payment }) => {
          const [one, other] = parties ?? [null, null];
          return { ...payment, what: byteaText(what), one, other };
        }),
      ),
    ],
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

/** A recovered payment whose request is not known yet. */
export type UnnamedPayment = Pick<RecoveredTransfer, 'id' | 'from' | 'to' | 'amount' | 'at' | 'txHash'> & {
  readonly what: Buffer;
  /** See {@link RecoveredPayment}. */
  readonly one: Address;
  readonly other: Address;
  readonly status: Transfer['status'];
};

const UNNAMED = `SELECT transfers.id, from_address AS "from", to_address AS "to", amount, what, decided_at AS at,
         ${hashColumn('tx_hash')} AS "txHash", one_party AS one, other_party AS other, status
    FROM recovered_payments JOIN ONLY transfers ON transfers.id = transfer_id`;

/** Payments whose requests are not known yet, the next ones after an id in their order, at most `most`. */
export async function unnamedPayments({ query }: Queries, after: string, most: number): Promise<UnnamedPayment[]> {
  return query<UnnamedPayment>(
    `${UNNAMED} WHERE one_party IS NOT NULL AND transfer_id > $1::uuid ORDER BY transfer_id LIMIT $2`,
    [after, most],
  );
}

/** The same of one account. */
export async function unnamedPaymentsOf(
  { query }: Queries,
  account: Address,
  after: string,
  most: number,
): Promise<UnnamedPayment[]> {
  return query<UnnamedPayment>(
    `${UNNAMED} WHERE transfer_id = ANY(ARRAY(
         SELECT transfer_id FROM recovered_payments WHERE one_party = $1
          UNION SELECT transfer_id FROM recovered_payments WHERE other_party = $1)::uuid[])
       AND transfer_id > $2::uuid ORDER BY transfer_id LIMIT $3`,
    [account, after, most],
  );
}

/** How many payments have requests that are not known yet. */
export async function countUnnamed({ query }: Queries): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    'SELECT count(*) AS count FROM recovered_payments WHERE one_party IS NOT NULL',
  );
  return Number(row!.count);
}

/** The recovered payments of these transfers whose requests are not known yet. */
export async function unnamedAmong({ query }: Queries, ids: readonly TransferId[]): Promise<UnnamedPayment[]> {
  return query<UnnamedPayment>(`${UNNAMED} WHERE one_party IS NOT NULL AND transfer_id = ANY($1::uuid[])`, [ids]);
}

export type NamedTransfer = Pick<Transfer, 'id' | 'status'> & { readonly requestId: RequestId };

/**
 * Gives recovered transfers their requests. `isSplit`: a reward pays a part. Those that have one keep it. Returns those that got one. Call it
 * under the follower's lock: a reorganisation opens transfers again.
 */
export async function nameTransfers(
  { query }: Tx,
  named: readonly { readonly id: TransferId; readonly requestId: RequestId; readonly isSplit: boolean }[],
): Promise<NamedTransfer[]> {
  return query(
    `WITH named AS (${NAME}), known AS (
       UPDATE recovered_payments SET one_party = NULL, other_party = NULL WHERE transfer_id = ANY(ARRAY(SELECT id FROM named)))
     SELECT * FROM named`,
    columnsOf(named, ['id', 'requestId', 'isSplit']),
  );
}

const NAME = `UPDATE ONLY transfers SET request_id = given.request_id, is_split = given.is_split
    FROM unnest($1::uuid[], $2::uuid[], $3::boolean[]) AS given (id, request_id, is_split)
   WHERE transfers.id = given.id AND transfers.request_id IS NULL RETURNING transfers.id, transfers.request_id AS "requestId", status`;
