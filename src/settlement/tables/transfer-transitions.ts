import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import { columnsOf, type Tx } from '../../db/database.ts';
import { TRANSFER_COLUMNS, type Transfer } from './transfers.ts';

/** The node has the transaction: approved → submitted. Returns the transfers that changed. */
export async function markSubmitted({ query }: Tx, ids: readonly TransferId[]): Promise<Transfer[]> {
  return query<Transfer>(
    `WITH locked AS (
         SELECT id FROM transfers WHERE id = ANY($1::uuid[]) AND status = 'approved' ORDER BY id FOR NO KEY UPDATE)
       UPDATE transfers SET status = 'submitted' FROM locked WHERE transfers.id = locked.id RETURNING ${TRANSFER_COLUMNS}`,
    [ids],
  );
}

/** An `AuthorizationUsed` or `AuthorizationCanceled` log. Only such a log settles a transfer; a receipt does not. */
export type SettledTransfer = {
  readonly kind: 'used' | 'canceled';
  readonly authorizer: Address;
  readonly nonce: Hash;
  readonly txHash: Hash;
};

/**
 * Completes the transfers whose authorization the chain has used, and fails those whose authorization it has cancelled. Only the latter
 * releases a hold without a payment. One statement, since both lock transfers. Returns the transfers that were not settled before.
 */
export async function settleTransfers(
  { query }: Tx,
  settled: readonly SettledTransfer[],
  block: bigint,
): Promise<Transfer[]> {
  if (settled.length === 0) return [];
  return query<Transfer>(
    `WITH locked AS (
       SELECT transfers.id, log.tx_hash, CASE kind WHEN 'used' THEN 'completed' ELSE 'failed' END AS status
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS log (kind, authorizer, nonce, tx_hash)
         JOIN transfers ON transfers.authorization_nonce = log.nonce AND transfers.from_address = log.authorizer
        WHERE transfers.status IN ('approved', 'submitted')
        ORDER BY transfers.id FOR NO KEY UPDATE OF transfers)
     UPDATE transfers SET status = locked.status, tx_hash = locked.tx_hash, decided_block = $5
       FROM locked WHERE transfers.id = locked.id RETURNING ${TRANSFER_COLUMNS}`,
    [...columnsOf(settled, ['kind', 'authorizer', 'nonce', 'txHash']), block],
  );
}

/** Reopens the transfers that orphaned blocks, those above `block`, had completed or failed. Returns them. */
export async function reopenTransfersAbove(
  { query }: Tx,
  block: bigint,
): Promise<(Transfer & { readonly hadFailed: boolean })[]> {
  return query<Transfer & { readonly hadFailed: boolean }>(
    `WITH locked AS (
       SELECT id, status = 'failed' AS "hadFailed" FROM transfers WHERE decided_block > $1 ORDER BY id FOR NO KEY UPDATE)
     UPDATE transfers SET status = 'submitted', decided_block = NULL
       FROM locked WHERE transfers.id = locked.id RETURNING ${TRANSFER_COLUMNS}, locked."hadFailed"`,
    [block],
  );
}

/**
 * Locks unsettled transfers that no open transaction carries any more, because it reverted or another one used its nonce. They need a
 * new transaction. Only those that are being cancelled, or whose payer has enough on the confirmed chain. Each further attempt waits
 * twice as long, up to ten minutes: a paused token must not burn gas in a loop.
 */
export async function lockStrandedTransfers({ query }: Tx, limit: number): Promise<Transfer[]> {
  return query<Transfer>(
    `SELECT ${TRANSFER_COLUMNS} FROM transfers
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
  );
}

/**
 * Marks an unsettled transfer as being cancelled, with the other unsettled transfers of its request, and locks them. Returns them, the
 * named one first; none if the named one is settled already or unknown.
 */
export async function startCancelling({ query }: Tx, id: TransferId): Promise<Transfer[]> {
  const rows = await query<Transfer>(
    `WITH locked AS (
       SELECT id, status FROM transfers
        WHERE id = $1 OR request_id = (SELECT request_id FROM transfers WHERE id = $1) ORDER BY id FOR NO KEY UPDATE)
     UPDATE transfers SET cancelling = true FROM locked
      WHERE transfers.id = locked.id AND locked.status IN ('approved', 'submitted')
        AND EXISTS (SELECT FROM locked AS named WHERE named.id = $1 AND named.status IN ('approved', 'submitted'))
     RETURNING ${TRANSFER_COLUMNS}`,
    [id],
  );
  return rows.sort((a, b) => Number(b.id === id) - Number(a.id === id));
}
