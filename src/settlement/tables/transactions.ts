import type { Address } from '../../base/address.ts';
import { type Hash, hexToBytes } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import type { StoredTransaction } from '../../chain/outgoing.ts';
import { hashColumn } from '../../db/columns.ts';
import { CONFIRMED } from '../../db/commits.ts';
import { byteaText, hexText, jsonRows, type Queries, type Tx } from '../../db/database.ts';
import { consumedBelow } from './nonces.ts';

export type NewTransaction = Omit<StoredTransaction, 'attempt'> & {
  /** The transfers it carries; none for a deployment. */
  readonly payload: readonly TransferId[];
};

const COLUMNS = `relayer, nonce, attempt, ${hashColumn('hash')} AS hash, raw`;

/** Whether a settled transfer names a transaction as the one that carried it. */
const IS_SETTLED =
  'EXISTS (SELECT FROM transfers WHERE id = ANY(payload) AND tx_hash = hash AND decided_block IS NOT NULL)';

/** Stores signed transactions, the first attempt at each nonce, and their payload. After COMMIT a loop sends them. */
export async function insertTransactions(
  { query, announce }: Tx,
  transactions: readonly NewTransaction[],
): Promise<void> {
  announce('transactions');
  await query(
    `INSERT INTO transactions (relayer, nonce, attempt, hash, raw, payload)
     SELECT relayer, nonce, 0, hash, raw, payload
       FROM jsonb_to_recordset($1) AS new (relayer text, nonce bigint, hash bytea, raw bytea, payload uuid[])`,
    [
      jsonRows(
        transactions.map(({ hash, relayer, nonce, raw, payload }) => ({
          ...{ relayer, nonce, payload },
          hash: hexText(hash),
          raw: byteaText(raw),
        })),
      ),
    ],
  );
}

/**
 * Stores a further attempt at the nonce of `replaced`, with the same payload and another fee or gas limit. False, and nothing is
 * stored, if the chain has used that nonce already or another process was first.
 */
export async function insertAttempt(
  { query }: Tx,
  replaced: StoredTransaction,
  attempt: { readonly hash: Hash; readonly raw: Buffer },
): Promise<boolean> {
  const [stored] = await query<{ payload: TransferId[] }>(
    `INSERT INTO transactions (relayer, nonce, attempt, hash, raw, payload)
     SELECT relayer, nonce, attempt + 1, $4, $5, payload FROM transactions
      WHERE relayer = $1 AND nonce = $2 AND attempt = $3 AND nonce >= ${consumedBelow('$1')}
     ON CONFLICT DO NOTHING RETURNING payload`,
    [replaced.relayer, replaced.nonce, replaced.attempt, hexToBytes(attempt.hash), attempt.raw],
  );
  if (!stored) return false;
  await query(
    `WITH locked AS (
       SELECT id FROM ONLY transfers
        WHERE id = ANY($1::uuid[]) AND decided_block IS NULL AND relayer = $2 AND relayer_nonce = $3 ORDER BY id FOR NO KEY UPDATE)
     UPDATE ONLY transfers SET tx_hash = $4 FROM locked WHERE transfers.id = locked.id`,
    [stored.payload, replaced.relayer, replaced.nonce, hexToBytes(attempt.hash)],
  );
  return true;
}

/** The newest attempts at a relayer's nonces from `from` to below `below`, in nonce order, at most `most`. */
export async function newestAttempts(
  { query }: Queries,
  relayer: Address,
  { from, below, most }: { readonly from: bigint; readonly below: bigint; readonly most: number },
): Promise<StoredTransaction[]> {
  const values = [relayer, from, below, most];
  const which = 'WHERE relayer = $1 AND nonce >= $2 AND nonce < $3 ORDER BY nonce, attempt DESC LIMIT $4';
  const live = await query<StoredTransaction>(
    `SELECT DISTINCT ON (nonce) ${COLUMNS} FROM ONLY transactions ${which}`,
    values,
  );
  if (live[0]?.nonce === from || !(await lacksNonces({ query }, relayer, from))) return live;
  return query<StoredTransaction>(`SELECT DISTINCT ON (nonce) ${COLUMNS} FROM transactions ${which}`, values);
}

/**
 * Whether nonces from this one on may be archived, because no live transaction has it, but one has a higher nonce: the newest of each relayer stays live. Only a chain
 * that has lost final blocks asks for such nonces.
 */
async function lacksNonces({ query }: Queries, relayer: Address, from: bigint): Promise<boolean> {
  const [row] = await query<{ nonce: bigint | null }>(
    'SELECT min(nonce) AS nonce FROM ONLY transactions WHERE relayer = $1 AND nonce >= $2',
    [relayer, from],
  );
  return row!.nonce !== null && row!.nonce > from;
}

/** Whether a transaction is stored. If so, those of lower nonces are too. */
export async function isStoredAttempt(
  { query }: Queries,
  { relayer, nonce, hash }: Pick<StoredTransaction, 'relayer' | 'nonce' | 'hash'>,
): Promise<boolean> {
  const stored = await query('SELECT FROM transactions WHERE relayer = $1 AND nonce = $2 AND hash = $3', [
    ...[relayer, nonce],
    hexToBytes(hash),
  ]);
  return stored.length > 0;
}

/**
 * As {@link isStoredAttempt}, for what was only read here: if it resolves to true, no failover takes back this transaction, or what the
 * server has shown before. Whoever stored it may not know that yet.
 */
export async function isConfirmedAttempt(
  { query }: Queries,
  { relayer, nonce, hash }: Pick<StoredTransaction, 'relayer' | 'nonce' | 'hash'>,
): Promise<boolean> {
  const stored = await query(`SELECT ${CONFIRMED} FROM transactions WHERE relayer = $1 AND nonce = $2 AND hash = $3`, [
    ...[relayer, nonce],
    hexToBytes(hash),
  ]);
  return stored.length > 0;
}

/** The attempts at a relayer's nonces from `from` to below `below` that no settled transfer names, by nonce and attempt. */
export async function unsettledAttempts(
  { query }: Queries,
  relayer: Address,
  { from, below }: { readonly from: bigint; readonly below: bigint },
): Promise<StoredTransaction[]> {
  return query<StoredTransaction>(
    `SELECT ${COLUMNS} FROM transactions WHERE relayer = $1 AND nonce >= $2 AND nonce < $3 AND NOT ${IS_SETTLED}
      ORDER BY nonce, attempt`,
    [relayer, from, below],
  );
}

/** The relayer's lowest nonce from `from` on with a transaction; null if there is none. */
export async function lowestStoredNonce({ query }: Queries, relayer: Address, from: bigint): Promise<bigint | null> {
  const [live] = await query<{ nonce: bigint | null }>(
    'SELECT min(nonce) AS nonce FROM ONLY transactions WHERE relayer = $1 AND nonce >= $2',
    [relayer, from],
  );
  // Above the newest there is nothing, and that is never archived.
  if (live!.nonce === null || live!.nonce === from) return live!.nonce;
  const [row] = await query<{ nonce: bigint | null }>(
    'SELECT min(nonce) AS nonce FROM transactions WHERE relayer = $1 AND nonce >= $2',
    [relayer, from],
  );
  return row?.nonce ?? null;
}

/**
 * The relayer and nonce of a transaction that a node may not know: an open one of these relayers, one of several attempts at a nonce, or one
 * of several transactions of a transfer. Null for others: there is no index of all hashes.
 */
export async function findUnminedTransaction(
  { query }: Queries,
  hash: Hash,
  relayers: readonly Address[],
): Promise<Pick<StoredTransaction, 'relayer' | 'nonce'> | null> {
  const [row] = await query<Pick<StoredTransaction, 'relayer' | 'nonce'>>(
    `SELECT relayer, nonce FROM unnest($2::text[]) AS known (relayer) JOIN transactions USING (relayer)
      WHERE nonce >= ${consumedBelow('known.relayer')} AND hash = $1
     UNION ALL
     SELECT relayer, nonce FROM (
              SELECT relayer, nonce FROM transactions WHERE attempt > 0 UNION SELECT relayer, nonce FROM further_transactions) AS several
            JOIN transactions USING (relayer, nonce)
      WHERE hash = $1
     LIMIT 1`,
    [hexToBytes(hash), relayers],
  );
  return row ?? null;
}

/** Which of these transactions are ours and not known as mined, with the transfers that they carry. */
export async function openTransactionsAmong(
  { query }: Queries,
  hashes: readonly Hash[],
): Promise<{ readonly hash: Hash; readonly payload: readonly TransferId[] }[]> {
  return query(
    `SELECT ${hashColumn('hash')} AS hash, payload FROM (SELECT DISTINCT relayer FROM broadcasts) AS known JOIN transactions USING (relayer)
      WHERE nonce >= ${consumedBelow('known.relayer')} AND hash = ANY($1::bytea[])`,
    [hashes.map(hexToBytes)],
  );
}

/** Which of these transactions carry a transfer that is not settled. */
export async function carryingUnsettled(
  { query }: Queries,
  transactions: readonly StoredTransaction[],
): Promise<Hash[]> {
  const rows = await query<{ hash: Hash }>(
    `SELECT ${hashColumn('hash')} AS hash FROM transactions JOIN unnest($1::text[], $2::bigint[], $3::int[]) AS named (relayer, nonce, attempt)
         USING (relayer, nonce, attempt)
      WHERE EXISTS (SELECT FROM ONLY transfers WHERE id = ANY(payload) AND decided_block IS NULL) ORDER BY relayer, nonce`,
    [
      transactions.map(({ relayer }) => relayer),
      transactions.map(({ nonce }) => nonce),
      transactions.map(({ attempt }) => attempt),
    ],
  );
  return rows.map(({ hash }) => hash);
}

/** Records that transactions are in a block, if no settled transfer names them: they reverted, or came second. */
export async function recordMined(
  { query }: Tx,
  mined: readonly (Pick<StoredTransaction, 'relayer' | 'nonce' | 'attempt'> & { readonly block: bigint })[],
): Promise<void> {
  if (mined.length === 0) return;
  await query(
    `UPDATE transactions SET mined_block = mined.block
       FROM unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[]) AS mined (relayer, nonce, attempt, block)
      WHERE (transactions.relayer, transactions.nonce, transactions.attempt) = (mined.relayer, mined.nonce, mined.attempt)
        AND NOT ${IS_SETTLED}`,
    [
      mined.map(({ relayer }) => relayer),
      mined.map(({ nonce }) => nonce),
      mined.map(({ attempt }) => attempt),
      mined.map(({ block }) => block),
    ],
  );
}
