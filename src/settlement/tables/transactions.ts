import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import { byteaText, type Database, jsonRows, type Queries, type Tx } from '../../db/database.ts';

/** `signed`: stored. `sent`: a node has it. `mined`: in a confirmed block. `replaced`: another transaction has used its nonce. */
export type TransactionStatus = 'signed' | 'sent' | 'mined' | 'replaced';

export type NewTransaction = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly raw: Buffer;
  /** The transfers it carries; none for a deployment. */
  readonly payload: readonly TransferId[];
  /** Whether it pays the transfers or cancels them. */
  readonly kind?: 'pay' | 'cancel';
};

export type OpenTransaction = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly attempt: number;
  readonly raw: Buffer;
};

/** Stores signed transactions, the first attempt at each nonce, and their payload. After COMMIT a loop sends them. */
export async function insertTransactions(
  { query, announce }: Tx,
  transactions: readonly NewTransaction[],
): Promise<void> {
  await query(
    `INSERT INTO transactions (hash, relayer, nonce, attempt, raw, status)
     SELECT hash, relayer, nonce, 0, raw, 'signed'
       FROM jsonb_to_recordset($1) AS new (hash text, relayer text, nonce bigint, raw bytea)`,
    [jsonRows(transactions.map(({ hash, relayer, nonce, raw }) => ({ hash, relayer, nonce, raw: byteaText(raw) })))],
  );
  announce('transactions');
  const cargo = transactions.flatMap(({ relayer, nonce, payload, kind = 'pay' }) =>
    payload.map((transferId) => ({ relayer, nonce, transferId, kind })),
  );
  if (cargo.length === 0) return;
  await query(
    `INSERT INTO cargo (relayer, nonce, transfer_id, kind)
     SELECT * FROM jsonb_to_recordset($1) AS new (relayer text, nonce bigint, "transferId" uuid, kind text)`,
    [jsonRows(cargo)],
  );
}

/**
 * What to send to the node now, in nonce order: the newest attempt at each of the relayer's first `window` open nonces, if it was
 * never sent, or was sent so long ago (`resendAfterMs`) that the node may have forgotten it.
 */
export async function transactionsToSend(
  { query }: Queries,
  relayer: Address,
  window: number,
  resendAfterMs: number,
): Promise<OpenTransaction[]> {
  return query<OpenTransaction>(
    `SELECT hash, relayer, nonce, attempt, raw FROM (
       SELECT DISTINCT ON (nonce) hash, relayer, nonce, attempt, raw, sent_at FROM transactions
        WHERE relayer = $1 AND status IN ('signed', 'sent')
        ORDER BY nonce, attempt DESC LIMIT $2) AS newest
      WHERE sent_at IS NULL OR sent_at < clock_timestamp() - make_interval(secs => $3)
      ORDER BY nonce`,
    [relayer, window, resendAfterMs / 1000],
  );
}

/** Marks transactions that the node has. Returns the transfers they carry. */
export async function markSent({ query }: Tx, hashes: readonly Hash[]): Promise<TransferId[]> {
  const rows = await query<{ id: TransferId }>(
    `WITH locked AS (
       SELECT hash FROM transactions WHERE hash = ANY($1) AND status IN ('signed', 'sent') ORDER BY hash FOR NO KEY UPDATE
     ), sent AS (
       UPDATE transactions
          SET status = 'sent', sent_at = clock_timestamp() FROM locked
        WHERE transactions.hash = locked.hash RETURNING relayer, nonce)
     SELECT transfer_id AS id FROM cargo JOIN sent USING (relayer, nonce)`,
    [hashes],
  );
  return rows.map(({ id }) => id);
}

/** Marks transactions that are in block `block`, and the other attempts at their nonces as replaced. Ignores hashes that are not ours. */
export async function markMined({ query }: Tx, hashes: readonly Hash[], block: bigint): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT sibling.hash, sibling.hash = ANY($1) AS is_mined
         FROM transactions AS mined JOIN transactions AS sibling USING (relayer, nonce)
        WHERE mined.hash = ANY($1)
        ORDER BY sibling.hash FOR NO KEY UPDATE OF sibling)
     UPDATE transactions
        SET status = CASE WHEN is_mined THEN 'mined' ELSE 'replaced' END, mined_block = CASE WHEN is_mined THEN $2::bigint END
       FROM locked WHERE transactions.hash = locked.hash`,
    [[...new Set(hashes)], block],
  );
}

/** Reopens the transactions of orphaned blocks, those above `block`: the same bytes are sent again at once. */
export async function reopenTransactionsAbove({ query, announce }: Tx, block: bigint): Promise<void> {
  announce('transactions');
  await query(
    `WITH locked AS (
       SELECT sibling.hash FROM transactions AS mined JOIN transactions AS sibling USING (relayer, nonce)
        WHERE mined.mined_block > $1
        ORDER BY sibling.hash FOR NO KEY UPDATE OF sibling)
     UPDATE transactions SET status = 'sent', mined_block = NULL, sent_at = NULL
       FROM locked WHERE transactions.hash = locked.hash`,
    [block],
  );
}

/** Open transactions whose nonce the chain has used already (below `nonce`). The caller must find out what used it. */
export async function openBelow({ query }: Queries, relayer: Address, nonce: bigint): Promise<OpenTransaction[]> {
  return query<OpenTransaction>(
    `SELECT hash, relayer, nonce, attempt, raw FROM transactions
      WHERE relayer = $1 AND nonce < $2 AND status IN ('signed', 'sent') ORDER BY nonce, attempt`,
    [relayer, nonce],
  );
}

/** Which of these transactions carry a transfer that is not settled yet. */
export async function carryingUnsettled({ query }: Queries, hashes: readonly Hash[]): Promise<Hash[]> {
  const rows = await query<{ hash: Hash }>(
    `SELECT hash FROM transactions
      WHERE hash = ANY($1) AND EXISTS (
        SELECT FROM cargo JOIN transfers ON transfers.id = cargo.transfer_id
         WHERE cargo.relayer = transactions.relayer AND cargo.nonce = transactions.nonce
           AND transfers.status IN ('approved', 'submitted'))
      ORDER BY relayer, nonce`,
    [hashes],
  );
  return rows.map(({ hash }) => hash);
}

/** Locks all attempts at these nonces, for a database transaction that closes them in several statements. */
export async function lockAttempts({ query }: Tx, relayer: Address, nonces: readonly bigint[]): Promise<void> {
  await query(
    'SELECT FROM transactions WHERE relayer = $1 AND nonce = ANY($2::bigint[]) ORDER BY hash FOR NO KEY UPDATE',
    [relayer, nonces],
  );
}

/** Transactions that are not ours have used these nonces: no attempt of ours at them can be mined on this chain. */
export async function markReplaced({ query }: Tx, relayer: Address, nonces: readonly bigint[]): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT hash FROM transactions
        WHERE relayer = $1 AND nonce = ANY($2::bigint[]) AND status IN ('signed', 'sent') ORDER BY hash FOR NO KEY UPDATE)
     UPDATE transactions SET status = 'replaced' FROM locked WHERE transactions.hash = locked.hash`,
    [relayer, nonces],
  );
}

/**
 * The current chain has not used the nonces from `nonce` on. Reopens all attempts there that were marked as replaced by a transaction of
 * others: they are sent at once, and repriced like any other. Returns whether there were any.
 */
export async function reopenReplacedFrom(
  { query, announce }: Pick<Database, 'query' | 'announce'>,
  relayer: Address,
  nonce: bigint,
): Promise<boolean> {
  const rows = await query(
    `WITH locked AS (
       SELECT hash FROM transactions AS replaced
        WHERE relayer = $1 AND nonce >= $2 AND status = 'replaced'
          AND NOT EXISTS (
            SELECT FROM transactions AS mined
             WHERE mined.relayer = $1 AND mined.nonce = replaced.nonce AND mined.status = 'mined')
        ORDER BY hash FOR NO KEY UPDATE)
     UPDATE transactions SET status = 'sent', sent_at = NULL FROM locked WHERE transactions.hash = locked.hash RETURNING 1`,
    [relayer, nonce],
  );
  if (rows.length > 0) announce('transactions');
  return rows.length > 0;
}

/**
 * The transactions from nonce `nonce` on, mined or open, in nonce order: a node that restarted with an older state lacks them. Of each
 * nonce the mined attempt, or the newest if none is mined.
 */
export async function transactionsFrom(
  { query }: Queries,
  relayer: Address,
  nonce: bigint,
  limit: number,
): Promise<OpenTransaction[]> {
  return query<OpenTransaction>(
    `SELECT DISTINCT ON (nonce) hash, relayer, nonce, attempt, raw FROM transactions
      WHERE relayer = $1 AND nonce >= $2
      ORDER BY nonce, (status = 'mined') DESC, attempt DESC LIMIT $3`,
    [relayer, nonce, limit],
  );
}

/** The relayer's lowest nonce with an open transaction; null if there is none. */
export async function lowestOpenNonce({ query }: Queries, relayer: Address): Promise<bigint | null> {
  const [row] = await query<{ nonce: bigint | null }>(
    `SELECT min(nonce) AS nonce FROM transactions WHERE relayer = $1 AND status IN ('signed', 'sent')`,
    [relayer],
  );
  return row?.nonce ?? null;
}

/** The relayer's lowest nonce from `from` on with a transaction in any status; null if there is none. */
export async function lowestStoredNonce({ query }: Queries, relayer: Address, from: bigint): Promise<bigint | null> {
  const [row] = await query<{ nonce: bigint | null }>(
    'SELECT min(nonce) AS nonce FROM transactions WHERE relayer = $1 AND nonce >= $2',
    [relayer, from],
  );
  return row?.nonce ?? null;
}

/** How many transactions are open: the backlog that admission limits. Counts up to `most`. */
export async function countOpen({ query }: Queries, most: number): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT FROM transactions WHERE status IN ('signed', 'sent') LIMIT $1) AS open`,
    [most],
  );
  return Number(row?.count ?? 0n);
}
