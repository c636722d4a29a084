import { type Address, asAddress } from '../base/address.ts';
import { asHash, type Hash } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import type { Query, Tx } from '../db/database.ts';
import { type OpenRow, type OpenTransaction, type TransactionStatus, toOpen } from './transactions.ts';

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
export async function attemptsFor({ query }: { query: Query }, transferId: TransferId): Promise<TransactionAttempt[]> {
  const rows = await query<{
    hash: string;
    relayer: string;
    nonce: bigint;
    attempt: number;
    status: TransactionStatus;
    mined_block: bigint | null;
    created_at: Date;
  }>(
    `SELECT hash, relayer, nonce, attempt, status, mined_block, transactions.created_at
       FROM cargo JOIN transactions USING (relayer, nonce)
      WHERE transfer_id = $1 ORDER BY created_at, nonce, attempt`,
    [transferId],
  );
  return rows.map((row) => ({
    hash: asHash(row.hash),
    relayer: asAddress(row.relayer),
    nonce: row.nonce,
    attempt: row.attempt,
    status: row.status,
    minedBlock: row.mined_block,
    createdAt: row.created_at,
  }));
}

/** The newest attempts at the relayer's lowest open nonces, those a node took. */
export async function lowestSent(
  { query }: { query: Query },
  relayer: Address,
  limit: number,
): Promise<OpenTransaction[]> {
  const rows = await query<OpenRow & { status: TransactionStatus }>(
    `SELECT DISTINCT ON (nonce) hash, relayer, nonce, attempt, raw, status FROM transactions
      WHERE relayer = $1 AND status IN ('signed', 'sent')
      ORDER BY nonce, attempt DESC LIMIT $2`,
    [relayer, limit],
  );
  return rows.filter(({ status }) => status === 'sent').map(toOpen);
}

/**
 * Stores a further attempt at the nonce of `replaced`: same cargo, other fee or gas. False where that nonce is mined already, or
 * another process was first; then nothing is stored.
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
