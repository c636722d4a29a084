import type { Address } from '../../base/address.ts';
import { bytesToHex, type Hash, hexToBytes } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { columnsOf, type Queries, type Tx } from '../../db/database.ts';
import { returnPayments, returnPaymentsAbove } from './archived-payments.ts';
import { consumedBelow } from './nonces.ts';
import { IS_OPEN, NONCE_COLUMN, nonceOf, openTransfers, TRANSFER_COLUMNS, type Transfer } from './transfers.ts';

/** An `AuthorizationUsed` or `AuthorizationCanceled` log. Only such a log settles a transfer; a receipt does not. */
export type AuthorizationLog = {
  readonly kind: 'used' | 'canceled';
  readonly authorizer: Address;
  readonly nonce: Hash;
  readonly txHash: Hash;
};

/** A transfer that a log has settled. */
export type SettledTransfer = Pick<Transfer, 'id' | 'authorizationNonce'> & {
  readonly requestId: RequestId | null;
  readonly from: Address;
  readonly amount: Quarters;
  readonly status: 'completed' | 'failed';
  readonly isSplit: boolean;
  readonly txHash: Hash;
  /** The transaction that was to carry it, and whether that is the one that the log is from. */
  readonly relayer: Address;
  readonly relayerNonce: bigint;
  readonly isOurs: boolean;
  readonly acceptedAt: Date;
  /** When a node took the transaction that carries it, as the text of a timestamptz; null if none of ours has been sent. */
  readonly sentAt: string | null;
};

/**
 * Completes the transfers whose authorization the chain has used, and fails those whose authorization it has cancelled. Only the latter
 * releases a hold without a payment. Returns the transfers that were not settled before. Only who holds the follower's lock may call it.
 */
export async function settleTransfers(
  tx: Tx,
  logs: readonly AuthorizationLog[],
  block: bigint,
): Promise<SettledTransfer[]> {
  if (logs.length === 0) return [];
  const settled = await findSettled(tx, logs);
  if (settled.length === 0) return [];
  const carriedByOthers = settled.filter(({ isOurs }) => !isOurs);
  await Promise.all([
    // Open transfers come before transfers in the lock order, so the UPDATE waits for their count.
    tx.query(
      `WITH closed AS (DELETE FROM open_transfers WHERE authorization_nonce = ANY($4::bytea[]) RETURNING 1)
       UPDATE ONLY transfers SET status = given.status, decided_block = $3
         FROM unnest($1::uuid[], $2::text[]) AS given (id, status)
        WHERE transfers.id = given.id AND (SELECT count(*) FROM closed) IS NOT NULL`,
      [...columnsOf(settled, ['id', 'status']), block, settled.map((transfer) => hexToBytes(nonceOf(transfer)))],
    ),
    ...carriedByOthers.map(({ id, txHash }) =>
      tx.query('UPDATE ONLY transfers SET tx_hash = $2 WHERE id = $1', [id, hexToBytes(txHash)]),
    ),
  ]);
  return settled;
}

type OpenRow = Omit<SettledTransfer, 'status' | 'txHash' | 'isOurs'> & { readonly txHash: Buffer };

/** The open transfers whose authorizations the logs name. An authorization belongs to its signer: others may use the same nonce. */
export async function findSettled({ query }: Queries, logs: readonly AuthorizationLog[]): Promise<SettledTransfer[]> {
  if (logs.length === 0) return [];
  const byAuthorization = new Map(logs.map((log) => [`${log.authorizer} ${log.nonce}`, log]));
  const rows = await query<OpenRow>(
    `SELECT id, ${NONCE_COLUMN} AS "authorizationNonce", request_id AS "requestId", from_address AS "from", amount, is_split AS "isSplit", tx_hash AS "txHash", relayer,
            relayer_nonce AS "relayerNonce", created_at AS "acceptedAt", (
              SELECT sent_at::text FROM broadcasts
               WHERE broadcasts.relayer = transfers.relayer AND below > relayer_nonce ORDER BY below LIMIT 1
            ) AS "sentAt"
       FROM ONLY transfers
      WHERE id = ANY(ARRAY(SELECT transfer_id FROM open_transfers WHERE authorization_nonce = ANY($1::bytea[])))`,
    [logs.map(({ nonce }) => hexToBytes(nonce))],
  );
  return rows.flatMap((row) => {
    const log = byAuthorization.get(`${row.from} ${nonceOf(row)}`);
    if (!log) return [];
    const isOurs = bytesToHex(row.txHash) === log.txHash;
    return [{ ...row, txHash: log.txHash, isOurs, status: log.kind === 'used' ? 'completed' : 'failed' } as const];
  });
}

/** `hadFailed`: it had been cancelled. */
export type ReopenedTransfer = Transfer & { readonly hadFailed: boolean };

/** Reopens the transfers that orphaned blocks, those above `block`, had completed or failed. Returns them. */
export async function reopenTransfersAbove(tx: Tx, block: bigint): Promise<ReopenedTransfer[]> {
  await returnPaymentsAbove(tx, block);
  return reopenWhere(tx, 'decided_block > $1', block);
}

/** Reopens those of these transfers that are settled. Returns them. */
export async function reopenTransfers(tx: Tx, ids: readonly TransferId[]): Promise<ReopenedTransfer[]> {
  await returnPayments(tx, 'id = ANY($1::uuid[])', ids);
  return reopenWhere(tx, 'id = ANY($1::uuid[]) AND decided_block IS NOT NULL', ids);
}

async function reopenWhere(tx: Tx, which: string, value: unknown): Promise<ReopenedTransfer[]> {
  const reopened = await tx.query<ReopenedTransfer>(
    `WITH locked AS (
       SELECT id, status = 'failed' AS "hadFailed" FROM ONLY transfers WHERE ${which} ORDER BY id FOR NO KEY UPDATE)
     UPDATE ONLY transfers SET status = 'submitted', decided_block = NULL, tx_hash = coalesce((
              SELECT hash FROM transactions AS carrier
               WHERE carrier.relayer = transfers.relayer AND carrier.nonce = relayer_nonce ORDER BY attempt DESC LIMIT 1), tx_hash)
       FROM locked WHERE transfers.id = locked.id RETURNING ${TRANSFER_COLUMNS}, locked."hadFailed"`,
    [value],
  );
  if (reopened.length > 0) await openTransfers(tx, reopened);
  return reopened;
}

/** A transfer that a block has settled. */
export type DecidedTransfer = Pick<Transfer, 'id' | 'from' | 'authorizationNonce'> & {
  readonly status: 'completed' | 'failed';
};

export async function transfersDecidedIn({ query }: Queries, block: bigint): Promise<DecidedTransfer[]> {
  return query(
    `SELECT id, from_address AS "from", status, ${NONCE_COLUMN} AS "authorizationNonce" FROM transfers WHERE decided_block = $1`,
    [block],
  );
}

/**
 * Open transfers that no open transaction of ours carries any more: it reverted, another one used its nonce, or a reorganisation has taken
 * back what a stranger had sent, or what was sent before the database was restored, of which nothing is left that we could send again.
 */
const STRANDED = `
  WITH consumed AS MATERIALIZED (
    SELECT relayer, ${consumedBelow('relayers.relayer')} AS below
      FROM (SELECT DISTINCT relayer FROM consumed_nonces) AS relayers),
  senders AS MATERIALIZED (
    SELECT relayer FROM (SELECT relayer FROM ONLY transfers WHERE ${IS_OPEN} UNION SELECT relayer FROM further_transactions) AS carriers
     WHERE EXISTS (SELECT FROM transactions AS sent WHERE sent.relayer = carriers.relayer))
  SELECT ${TRANSFER_COLUMNS} FROM ONLY transfers
   WHERE ${IS_OPEN}
     AND (relayer_nonce < (SELECT below FROM consumed WHERE consumed.relayer = transfers.relayer)
          OR relayer NOT IN (SELECT relayer FROM senders)
          OR relayer_nonce >= (SELECT next_nonce FROM relayers WHERE address = transfers.relayer))
     AND NOT EXISTS (
       SELECT FROM further_transactions AS further LEFT JOIN consumed AS used ON used.relayer = further.relayer
        WHERE further.transfer_id = transfers.id AND further.nonce >= coalesce(used.below, 0)
          AND further.relayer IN (SELECT relayer FROM senders)
          AND further.nonce < (SELECT next_nonce FROM relayers WHERE address = further.relayer))`;

/** Whether any transfer needs a new transaction, now or later. */
export async function hasStranded({ query }: Queries): Promise<boolean> {
  return (await query(`${STRANDED} LIMIT 1`)).length > 0;
}

/** Open transfers that no open transaction carries, whatever they wait for: the next ones after an id, at most `most`. */
export async function listStranded({ query }: Queries, after: string, most: number): Promise<Transfer[]> {
  return query<Transfer>(`${STRANDED} AND transfers.id > $1::uuid ORDER BY transfers.id LIMIT $2`, [after, most]);
}

/**
 * Locks open transfers that need a new transaction. Only those that are being cancelled, or whose payer has enough on the confirmed chain.
 * Each further attempt waits twice as long, up to ten minutes: a paused token must not burn gas in a loop. `among`: only these.
 */
export async function lockStrandedTransfers(
  { query }: Tx,
  limit: number,
  { except = [], among }: { readonly except?: readonly TransferId[]; readonly among?: readonly TransferId[] },
): Promise<Transfer[]> {
  return query<Transfer>(
    `${STRANDED}
     AND id <> ALL($2::uuid[]) AND ($3::uuid[] IS NULL OR id = ANY($3))
     AND NOT EXISTS (
       SELECT FROM (SELECT transfers.relayer, relayer_nonce AS nonce
                    UNION ALL SELECT relayer, nonce FROM further_transactions WHERE transfer_id = transfers.id) AS carriers
              JOIN transactions AS carrier USING (relayer, nonce)
        WHERE mined_block IS NOT NULL
       HAVING max(carrier.created_at) + make_interval(secs => least(power(2, least(count(*) - 1, 10)), 600)) > clock_timestamp())
     AND (cancelling OR amount <= (SELECT posted FROM accounts WHERE address = transfers.from_address))
   ORDER BY transfers.id LIMIT $1 FOR NO KEY UPDATE OF transfers SKIP LOCKED`,
    [limit, except, among ?? null],
  );
}

/**
 * Lets other transactions carry transfers: those that carried them until now are kept as further ones. After a restore, a nonce that a
 * reorganisation has freed may be given to the same transfer again.
 */
export async function setCarriers(
  tx: Tx,
  carried: readonly Pick<Transfer, 'id' | 'relayer' | 'relayerNonce' | 'txHash'>[],
): Promise<void> {
  await tx.query(
    `WITH carried AS (SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bytea[]) AS new (id, relayer, nonce, tx_hash)),
     before AS (
       INSERT INTO further_transactions (transfer_id, relayer, nonce)
       SELECT transfers.id, transfers.relayer, relayer_nonce FROM ONLY transfers JOIN carried USING (id)
        WHERE (transfers.relayer, relayer_nonce) <> (carried.relayer, carried.nonce)
       ON CONFLICT DO NOTHING),
     again AS (
       DELETE FROM further_transactions AS further USING carried
        WHERE transfer_id = id AND further.relayer = carried.relayer AND further.nonce = carried.nonce)
     UPDATE ONLY transfers SET relayer = carried.relayer, relayer_nonce = carried.nonce, tx_hash = carried.tx_hash
       FROM carried WHERE transfers.id = carried.id`,
    [
      carried.map(({ id }) => id),
      carried.map(({ relayer }) => relayer),
      carried.map(({ relayerNonce }) => relayerNonce),
      carried.map(({ txHash }) => hexToBytes(txHash)),
    ],
  );
}

/**
 * Records a transaction that cancels a transfer, beside the one that pays it. After a restore it may have a nonce that the transfer names
 * already.
 */
export async function addFurtherTransaction(
  { query }: Tx,
  id: TransferId,
  { relayer, nonce }: { readonly relayer: Address; readonly nonce: bigint },
): Promise<void> {
  await query(
    `INSERT INTO further_transactions (transfer_id, relayer, nonce)
     SELECT id, $2, $3 FROM ONLY transfers WHERE id = $1 AND (relayer, relayer_nonce) <> ($2, $3)
     ON CONFLICT DO NOTHING`,
    [id, relayer, nonce],
  );
}

/**
 * Marks an unsettled transfer as being cancelled, with the other unsettled transfers of its request, and locks them. Returns them, the
 * named one first; none if the named one is settled already or unknown.
 */
export async function startCancelling({ query }: Tx, id: TransferId): Promise<Transfer[]> {
  const rows = await query<Transfer>(
    `WITH locked AS (
       SELECT id, decided_block IS NULL AS is_open FROM ONLY transfers
        WHERE id = $1 OR request_id = (SELECT request_id FROM ONLY transfers WHERE id = $1) ORDER BY id FOR NO KEY UPDATE)
     UPDATE ONLY transfers SET cancelling = true FROM locked
      WHERE transfers.id = locked.id AND is_open AND EXISTS (SELECT FROM locked AS named WHERE named.id = $1 AND is_open)
     RETURNING ${TRANSFER_COLUMNS}`,
    [id],
  );
  return rows.sort((a, b) => Number(b.id === id) - Number(a.id === id));
}
