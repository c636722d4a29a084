import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import type { Queries, Tx } from '../../db/database.ts';
import type { OpenTransaction, TransactionStatus } from './transactions.ts';

export type TransactionAttempt = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly attempt: number;
  readonly status: TransactionStatus;
  readonly minedBlock: bigint | null;
  readonly createdAt: Date;
};

/** Every transaction that ever carried a transfer, oldest first. */
export async function attemptsFor({ query }: Queries, transferId: TransferId): Promise<TransactionAttempt[]> {
  return query<TransactionAttempt>(
    `SELECT hash, relayer, nonce, attempt, status, mined_block AS "minedBlock", transactions.created_at AS "createdAt"
       FROM cargo JOIN transactions USING (relayer, nonce)
      WHERE transfer_id = $1 ORDER BY transactions.created_at, nonce, attempt`,
    [transferId],
  );
}

/** The newest attempts at the relayer's lowest open nonces, as far as a node has accepted them. */
export async function lowestSent({ query }: Queries, relayer: Address, limit: number): Promise<OpenTransaction[]> {
  return query<OpenTransaction>(
    `SELECT hash, relayer, nonce, attempt, raw FROM (
       SELECT DISTINCT ON (nonce) hash, relayer, nonce, attempt, raw, status FROM transactions
        WHERE relayer = $1 AND status IN ('signed', 'sent')
        ORDER BY nonce, attempt DESC LIMIT $2) AS newest
      WHERE status = 'sent' ORDER BY nonce`,
    [relayer, limit],
  );
}

/**
 * Stores a further attempt at the nonce of `replaced`, with the same payload and another fee or gas limit. False, and nothing is stored,
 * if that nonce is mined already or another process was first.
 */
export async function insertAttempt(
  { query }: Tx,
  replaced: OpenTransaction,
  attempt: { readonly hash: Hash; readonly raw: Buffer },
): Promise<boolean> {
  const stored = await query(
    `INSERT INTO transactions (hash, relayer, nonce, attempt, raw, status)
     SELECT $1, $2, $3, $4::int + 1, $5, 'signed' FROM transactions
      WHERE relayer = $2 AND nonce = $3
     HAVING bool_and(status IN ('signed', 'sent')) AND max(attempt) = $4::int
     ON CONFLICT DO NOTHING RETURNING hash`,
    [attempt.hash, replaced.relayer, replaced.nonce, replaced.attempt, attempt.raw],
  );
  if (stored.length === 0) return false;
  await query(
    `WITH locked AS (
       SELECT id FROM transfers
        WHERE status IN ('approved', 'submitted')
          AND id IN (SELECT transfer_id FROM cargo WHERE relayer = $1 AND nonce = $2)
        ORDER BY id FOR NO KEY UPDATE)
     UPDATE transfers SET tx_hash = $3 FROM locked WHERE transfers.id = locked.id`,
    [replaced.relayer, replaced.nonce, attempt.hash],
  );
  return true;
}
