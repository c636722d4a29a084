import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { type BucketSum, bucketOf, paymentHash } from '../../db/fingerprints.ts';

// What the audit reads of transfers, in pages.

export type TransferOnItsWay = {
  readonly id: TransferId;
  readonly from: Address;
  readonly amount: Quarters;
  readonly nonce: Hash;
};

/** The transfers on their way after an id, in the order of their ids, at most `most`. */
export async function transfersOnTheirWay({ query }: Tx, after: string, most: number): Promise<TransferOnItsWay[]> {
  return query(
    `SELECT id, from_address AS "from", amount, authorization_nonce AS nonce FROM transfers
      WHERE status IN ('approved', 'submitted') AND id > $1 ORDER BY id LIMIT $2`,
    [after, most],
  );
}

/** What the transfers on their way hold on their payers' accounts, for the addresses after one and up to another. */
export async function sumOnTheirWay(
  { query }: Tx,
  after: Address | '',
  upTo: Address | null,
): Promise<Map<Address, bigint>> {
  const rows = await query<{ address: Address; sum: bigint }>(
    `SELECT from_address AS address, sum(amount)::bigint AS sum FROM transfers
      WHERE status IN ('approved', 'submitted') AND from_address > $1 AND from_address <= $2 GROUP BY from_address`,
    // No address is above this text.
    [after, upTo ?? '~'],
  );
  return new Map(rows.map(({ address, sum }) => [address, sum]));
}

/** The last of the next `most` transfers after an id; null if there are fewer. */
export async function endOfTransferPage({ query }: Tx, after: string, most: number): Promise<TransferId | null> {
  const [row] = await query<{ id: TransferId }>(
    'SELECT id FROM transfers WHERE id > $1 ORDER BY id OFFSET $2 LIMIT 1',
    [after, most - 1],
  );
  return row?.id ?? null;
}

/** The newest transfer; null if there is none. */
export async function newestTransfer({ query }: Tx): Promise<TransferId | null> {
  const [row] = await query<{ id: TransferId }>('SELECT id FROM transfers ORDER BY id DESC LIMIT 1');
  return row?.id ?? null;
}

/** Fingerprints of the payments that transfers after an id and up to another have completed, up to a block. */
export async function sumCompleted(
  { query }: Tx,
  { after, upTo }: { readonly after: string; readonly upTo: string },
  block: bigint,
  seed: bigint,
): Promise<BucketSum[]> {
  return query<BucketSum>(
    `SELECT ${bucketOf('hashtextextended(tx_hash, $4)')} AS bucket, sum(${paymentHash('$4')}) AS sum FROM transfers
      WHERE id > $1 AND id <= $2 AND status = 'completed' AND decided_block <= $3 GROUP BY 1`,
    [after, upTo, block, seed],
  );
}
