import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import { hashColumn } from '../../db/columns.ts';
import type { Queries } from '../../db/database.ts';
import { consumedBelow } from './nonces.ts';

/**
 * `signed`: stored. `sent`: a node has it. `mined`: in a confirmed block. `replaced`: another transaction has used its nonce, or it is in a
 * block that was not followed.
 */
export type TransactionStatus = 'signed' | 'sent' | 'mined' | 'replaced';

export type TransactionAttempt = {
  readonly hash: Hash;
  readonly relayer: Address;
  readonly nonce: bigint;
  readonly attempt: number;
  readonly status: TransactionStatus;
  readonly minedBlock: bigint | null;
  readonly createdAt: Date;
};

/** The attempts at the nonces of a query `carriers`, oldest first. */
const attemptsAt = (carriers: string): string => `WITH carriers AS (${carriers}), carrying AS (
       SELECT carrier.*, coalesce(carrier.mined_block, (
                SELECT max(decided_block) FROM transfers WHERE id = ANY(payload) AND tx_hash = carrier.hash
              )) AS mined, ${consumedBelow('carrier.relayer')} AS consumed
         FROM carriers JOIN transactions AS carrier USING (relayer, nonce))
     SELECT ${hashColumn('hash')} AS hash, relayer, nonce, attempt, mined AS "minedBlock", created_at AS "createdAt",
            CASE WHEN mined IS NOT NULL THEN 'mined'
                 WHEN nonce < consumed THEN 'replaced'
                 WHEN EXISTS (SELECT FROM broadcasts WHERE broadcasts.relayer = carrying.relayer AND below > nonce) THEN 'sent'
                 ELSE 'signed' END AS status
       FROM carrying ORDER BY created_at, nonce, attempt`;

/** Every transaction that ever carried a transfer, oldest first. */
export async function attemptsFor({ query }: Queries, transferId: TransferId): Promise<TransactionAttempt[]> {
  const carriers = `SELECT relayer, relayer_nonce AS nonce FROM transfers WHERE id = $1
    UNION SELECT relayer, nonce FROM further_transactions WHERE transfer_id = $1`;
  return query<TransactionAttempt>(attemptsAt(carriers), [transferId]);
}

/** Every transaction that was made for a relayer's nonce, oldest first. */
export async function attemptsAtNonce(
  { query }: Queries,
  relayer: Address,
  nonce: bigint,
): Promise<TransactionAttempt[]> {
  return query<TransactionAttempt>(attemptsAt('SELECT $1::text AS relayer, $2::bigint AS nonce'), [relayer, nonce]);
}

/** The transfers that the newest attempt at a nonce carries; empty for a deployment or a cancellation. */
export async function payloadAtNonce({ query }: Queries, relayer: Address, nonce: bigint): Promise<TransferId[]> {
  const [row] = await query<{ payload: TransferId[] }>(
    'SELECT payload FROM transactions WHERE relayer = $1 AND nonce = $2 ORDER BY attempt DESC LIMIT 1',
    [relayer, nonce],
  );
  return row?.payload ?? [];
}

/** How much a relayer has sent lately. */
export type RelayerPace = {
  /** Nonces used in the last day, up to the limit that was given. */
  readonly count: number;
  /** When the first of them was signed; null if there are none. */
  readonly since: Date | null;
  /** Up to 20 of those whose nonce the chain has used, newest first. */
  readonly mined: readonly Hash[];
};

/** The relayer's transactions of the last day, at most the newest `most`. */
export async function readPace({ query }: Queries, relayer: Address, most: number): Promise<RelayerPace> {
  const [row] = await query<RelayerPace>(
    `WITH recent AS (
       SELECT nonce, hash, created_at, nonce < ${consumedBelow('$1')} AS is_used FROM (
         SELECT nonce, hash, created_at FROM transactions
          WHERE relayer = $1 ORDER BY nonce DESC, attempt DESC LIMIT $2) AS newest
        WHERE created_at > now() - interval '1 day')
     SELECT count(DISTINCT nonce)::integer AS count, min(created_at) AS since,
            ARRAY(SELECT ${hashColumn('hash')} FROM recent WHERE is_used ORDER BY nonce DESC LIMIT 20) AS mined FROM recent`,
    [relayer, most],
  );
  return row!;
}
