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

/** Every transaction that ever carried a transfer, oldest first. */
export async function attemptsFor({ query }: Queries, transferId: TransferId): Promise<TransactionAttempt[]> {
  return query<TransactionAttempt>(
    `WITH carriers AS (
       SELECT relayer, relayer_nonce AS nonce FROM transfers WHERE id = $1
       UNION SELECT relayer, nonce FROM further_transactions WHERE transfer_id = $1
     ), carrying AS (
       SELECT carrier.*, coalesce(carrier.mined_block, (
                SELECT max(decided_block) FROM transfers WHERE id = ANY(payload) AND tx_hash = carrier.hash
              )) AS mined, ${consumedBelow('carrier.relayer')} AS consumed
         FROM carriers JOIN transactions AS carrier USING (relayer, nonce))
     SELECT ${hashColumn('hash')} AS hash, relayer, nonce, attempt, mined AS "minedBlock", created_at AS "createdAt",
            CASE WHEN mined IS NOT NULL THEN 'mined'
                 WHEN nonce < consumed THEN 'replaced'
                 WHEN EXISTS (SELECT FROM broadcasts WHERE broadcasts.relayer = carrying.relayer AND below > nonce) THEN 'sent'
                 ELSE 'signed' END AS status
       FROM carrying ORDER BY created_at, nonce, attempt`,
    [transferId],
  );
}
