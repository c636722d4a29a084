import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import type { Database, Query, Tx } from '../db/database.ts';

/** `signed`: stored. `sent`: a node has it. `mined`: in a confirmed block. `replaced`: its nonce went to another one, on the chain as it is. */
export type TransactionStatus = 'signed' | 'sent' | 'mined' | 'replaced';

export type NewTransaction = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly raw: Buffer;
  /** The transfers it carries; none for a deployment. */
  readonly cargo: readonly TransferId[];
  /** Whether it pays them or cancels them. */
  readonly kind?: 'pay' | 'cancel';
};

export type OpenTransaction = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly attempt: number;
  readonly raw: Buffer;
};

/** Stores signed bytes, the first attempt at each nonce, and what they carry. From the COMMIT on, sending them is only a matter of time. */
export async function insertTransactions(
  { query, announce }: Tx,
  transactions: readonly NewTransaction[],
): Promise<void> {
  await query(
    `INSERT INTO transactions (hash, relayer, nonce, attempt, raw, status)
     SELECT hash, relayer, nonce, 0, decode(substr(raw, 3), 'hex'), 'signed'
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS new (hash, relayer, nonce, raw)`,
    [
      transactions.map((t) => t.hash),
      transactions.map((t) => t.relayer),
      transactions.map((t) => t.nonce),
      transactions.map((t) => bytesToHex(t.raw)),
    ],
  );
  announce('transactions');
  const cargo = transactions.flatMap((t) => t.cargo.map((transferId) => ({ ...t, transferId })));
  if (cargo.length === 0) return;
  await query(
    'INSERT INTO cargo (relayer, nonce, transfer_id, kind) SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[])',
    [
      cargo.map((c) => c.relayer),
      cargo.map((c) => c.nonce),
      cargo.map((c) => c.transferId),
      cargo.map((c) => c.kind ?? 'pay'),
    ],
  );
}

export type OpenRow = { hash: string; relayer: string; nonce: bigint; attempt: number; raw: Buffer };

export const toOpen = (row: OpenRow): OpenTransaction => ({
  hash: asHash(row.hash),
  relayer: asAddress(row.relayer),
  nonce: row.nonce,
  attempt: row.attempt,
  raw: row.raw,
});

/**
 * What to give to the node now, in nonce order: of the relayer's first `window` open nonces, the newest attempt, where it was
 * never sent, or was sent so long ago (`resendAfterMs`) that the node may have forgotten it.
 */
export async function transactionsToSend(
  { query }: { query: Query },
  relayer: Address,
  window: number,
  resendAfterMs: number,
): Promise<OpenTransaction[]> {
  const rows = await query<OpenRow>(
    `SELECT hash, relayer, nonce, attempt, raw FROM (
       SELECT DISTINCT ON (nonce) hash, relayer, nonce, attempt, raw, sent_at FROM transactions
        WHERE relayer = $1 AND status IN ('signed', 'sent')
        ORDER BY nonce, attempt DESC LIMIT $2) AS newest
      WHERE sent_at IS NULL OR sent_at < clock_timestamp() - make_interval(secs => $3)
      ORDER BY nonce`,
    [relayer, window, resendAfterMs / 1000],
  );
  return rows.map(toOpen);
}

/** The node has them. Returns the transfers they carry. */
export async function markSent({ query }: Tx, hashes: readonly Hash[]): Promise<TransferId[]> {
  const rows = await query<{ transfer_id: string }>(
    `WITH locked AS (
       SELECT hash FROM transactions WHERE hash = ANY($1) AND status IN ('signed', 'sent') ORDER BY hash FOR NO KEY UPDATE
     ), sent AS (
       UPDATE transactions
          SET status = 'sent', sent_at = clock_timestamp() FROM locked
        WHERE transactions.hash = locked.hash RETURNING relayer, nonce)
     SELECT transfer_id FROM cargo JOIN sent USING (relayer, nonce)`,
    [hashes],
  );
  return rows.map((row) => row.transfer_id as TransferId);
}

/** These are in block `block`; other attempts at their nonces can never be. Hashes that are not ours are passed over. */
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

/** Blocks above `block` were orphaned: what they held is to be sent again, the same bytes, at once. */
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

/** Open transactions whose nonce the chain has already consumed (below `nonce`): each wants a look at what happened. */
export async function openBelow(
  { query }: { query: Query },
  relayer: Address,
  nonce: bigint,
): Promise<OpenTransaction[]> {
  const rows = await query<OpenRow>(
    `SELECT hash, relayer, nonce, attempt, raw FROM transactions
      WHERE relayer = $1 AND nonce < $2 AND status IN ('signed', 'sent') ORDER BY nonce, attempt`,
    [relayer, nonce],
  );
  return rows.map(toOpen);
}

/** Of these transactions, those that carry a transfer which nothing has settled yet. */
export async function carryingUnsettled({ query }: { query: Query }, hashes: readonly Hash[]): Promise<Hash[]> {
  const rows = await query<{ hash: string }>(
    `SELECT hash FROM transactions
      WHERE hash = ANY($1) AND EXISTS (
        SELECT FROM cargo JOIN transfers ON transfers.id = cargo.transfer_id
         WHERE cargo.relayer = transactions.relayer AND cargo.nonce = transactions.nonce
           AND transfers.status IN ('approved', 'submitted'))
      ORDER BY relayer, nonce`,
    [hashes],
  );
  return rows.map((row) => asHash(row.hash));
}

/** Locks all attempts at these nonces, for a transaction that closes them in several statements. */
export async function lockAttempts({ query }: Tx, relayer: Address, nonces: readonly bigint[]): Promise<void> {
  await query(
    'SELECT FROM transactions WHERE relayer = $1 AND nonce = ANY($2::bigint[]) ORDER BY hash FOR NO KEY UPDATE',
    [relayer, nonces],
  );
}

/** These nonces went to transactions that are not ours: no attempt at them can ever be mined on this chain. */
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
 * Nonces from `nonce` on have not been used on the chain as it is now: what was believed replaced there by a transaction that is not
 * ours is open again, all attempts, to be sent at once and priced anew like any other. Returns whether there were any.
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
 * Transactions believed mined, or open, from nonce `nonce` on: what a node lacks that came back with an older state.
 * The mined attempt where there is one, else the newest, in nonce order.
 */
export async function transactionsFrom(
  { query }: { query: Query },
  relayer: Address,
  nonce: bigint,
  limit: number,
): Promise<OpenTransaction[]> {
  const rows = await query<OpenRow>(
    `SELECT DISTINCT ON (nonce) hash, relayer, nonce, attempt, raw FROM transactions
      WHERE relayer = $1 AND nonce >= $2
      ORDER BY nonce, (status = 'mined') DESC, attempt DESC LIMIT $3`,
    [relayer, nonce, limit],
  );
  return rows.map(toOpen);
}

/** The first nonce of each relayer that is not known to be mined, or null where all are. */
export async function lowestOpenNonce({ query }: { query: Query }, relayer: Address): Promise<bigint | null> {
  const [row] = await query<{ nonce: bigint | null }>(
    `SELECT min(nonce) AS nonce FROM transactions WHERE relayer = $1 AND status IN ('signed', 'sent')`,
    [relayer],
  );
  return row?.nonce ?? null;
}

/** The relayer's lowest nonce from `from` on that there is a transaction for, whatever became of it; null where there is none. */
export async function lowestStoredNonce(
  { query }: { query: Query },
  relayer: Address,
  from: bigint,
): Promise<bigint | null> {
  const [row] = await query<{ nonce: bigint | null }>(
    'SELECT min(nonce) AS nonce FROM transactions WHERE relayer = $1 AND nonce >= $2',
    [relayer, from],
  );
  return row?.nonce ?? null;
}

/** Signed but unmined: the backlog that admission is limited by. Counting stops at `most`. */
export async function countOpen({ query }: { query: Query }, most: number): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT FROM transactions WHERE status IN ('signed', 'sent') LIMIT $1) AS open`,
    [most],
  );
  return Number(row?.count ?? 0n);
}
