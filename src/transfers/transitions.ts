import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { COLUMNS, type Transfer, type TransferRow, toTransfer } from './transfers.ts';

/** The node has the transaction: approved → submitted. Returns the transfers that moved. */
export async function markSubmitted({ query }: Tx, ids: readonly TransferId[]): Promise<Transfer[]> {
  return (
    await query<TransferRow>(
      `WITH locked AS (
         SELECT id FROM transfers WHERE id = ANY($1::uuid[]) AND status = 'approved' ORDER BY id FOR NO KEY UPDATE)
       UPDATE transfers SET status = 'submitted' FROM locked WHERE transfers.id = locked.id RETURNING ${COLUMNS}`,
      [ids],
    )
  ).map(toTransfer);
}

/** An `AuthorizationUsed` or `AuthorizationCanceled` log: what decides a transfer. Nothing else does, no receipt either. */
export type Verdict = {
  readonly kind: 'used' | 'canceled';
  readonly authorizer: Address;
  readonly nonce: Hash;
  readonly txHash: Hash;
};

/**
 * Completes the transfers whose authorization the chain shows as used, and fails those whose it shows as cancelled: only this
 * releases a hold unpaid. In one statement, since both lock transfers. Returns those that had not been decided.
 */
export async function settleTransfers({ query }: Tx, verdicts: readonly Verdict[], block: bigint): Promise<Transfer[]> {
  if (verdicts.length === 0) return [];
  const rows = await query<TransferRow>(
    `WITH locked AS (
       SELECT transfers.id, verdict.tx_hash, CASE kind WHEN 'used' THEN 'completed' ELSE 'failed' END AS status
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS verdict (kind, authorizer, nonce, tx_hash)
         JOIN transfers ON transfers.authorization_nonce = verdict.nonce AND transfers.from_address = verdict.authorizer
        WHERE transfers.status IN ('approved', 'submitted')
        ORDER BY transfers.id FOR NO KEY UPDATE OF transfers)
     UPDATE transfers SET status = locked.status, tx_hash = locked.tx_hash, decided_block = $5
       FROM locked WHERE transfers.id = locked.id RETURNING ${COLUMNS}`,
    [
      verdicts.map((v) => v.kind),
      verdicts.map((v) => v.authorizer),
      verdicts.map((v) => v.nonce),
      verdicts.map((v) => v.txHash),
      block,
    ],
  );
  return rows.map(toTransfer);
}

/** Blocks above `block` were orphaned: the transfers they completed or failed are on their way again. Returns those. */
export async function reopenTransfersAbove(
  { query }: Tx,
  block: bigint,
): Promise<(Transfer & { readonly hadFailed: boolean })[]> {
  const rows = await query<TransferRow & { had_failed: boolean }>(
    `WITH locked AS (
       SELECT id, status = 'failed' AS had_failed FROM transfers WHERE decided_block > $1 ORDER BY id FOR NO KEY UPDATE)
     UPDATE transfers SET status = 'submitted', decided_block = NULL
       FROM locked WHERE transfers.id = locked.id RETURNING ${COLUMNS}, locked.had_failed`,
    [block],
  );
  return rows.map((row) => ({ ...toTransfer(row), hadFailed: row.had_failed }));
}

/**
 * Transfers on their way that no open transaction carries any more (it reverted, or its nonce went to another one), locked,
 * and whose payer the confirmed chain covers, or which are to be cancelled. They need a new transaction. Each further try
 * waits twice as long, up to ten minutes: a paused token must not burn gas in a loop.
 */
export async function lockStrandedTransfers({ query }: Tx, limit: number): Promise<Transfer[]> {
  return (
    await query<TransferRow>(
      `SELECT ${COLUMNS} FROM transfers
        WHERE status IN ('approved', 'submitted')
          AND NOT EXISTS (
            SELECT FROM cargo JOIN transactions USING (relayer, nonce)
             WHERE cargo.transfer_id = transfers.id AND transactions.status IN ('signed', 'sent'))
          AND NOT EXISTS (
            SELECT FROM cargo JOIN transactions USING (relayer, nonce)
             WHERE cargo.transfer_id = transfers.id AND transactions.status = 'mined'
            HAVING max(transactions.created_at) + make_interval(secs => least(power(2, least(count(*) - 1, 10)), 600)) > clock_timestamp())
          AND (cancelling OR amount <= (SELECT posted FROM accounts WHERE address = transfers.from_address))
        ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`,
      [limit],
    )
  ).map(toTransfer);
}

/**
 * Notes that a transfer on its way is to be cancelled, and with it whatever else of its request is on its way; locks them.
 * Returns them, the named one first; none where that is not on its way (any more).
 */
export async function startCancelling({ query }: Tx, id: TransferId): Promise<Transfer[]> {
  const rows = await query<TransferRow>(
    `WITH locked AS (
       SELECT id, status FROM transfers
        WHERE id = $1 OR request_id = (SELECT request_id FROM transfers WHERE id = $1) ORDER BY id FOR NO KEY UPDATE)
     UPDATE transfers SET cancelling = true FROM locked
      WHERE transfers.id = locked.id AND locked.status IN ('approved', 'submitted')
        AND EXISTS (SELECT FROM locked AS named WHERE named.id = $1 AND named.status IN ('approved', 'submitted'))
     RETURNING ${COLUMNS}`,
    [id],
  );
  return rows.map(toTransfer).sort((a, b) => Number(b.id === id) - Number(a.id === id));
}
