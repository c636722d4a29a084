import type { Address } from '../../base/address.ts';
import { type Hash, hexToBytes } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { hashColumn } from '../../db/columns.ts';
import type { Tx } from '../../db/database.ts';
import type { RequestStatus } from '../../requests/states.ts';

// What the audit and publications of liabilities read of transfers.

export type OpenTransfer = {
  readonly id: TransferId;
  readonly from: Address;
  /** 0 if there is no such transfer. */
  readonly amount: Quarters;
  readonly nonce: Hash;
  /** Its row says that it is settled, or there is none. */
  readonly isSettled: boolean;
};

/** The transfers listed as open after a nonce (null: from the first), in the order of their nonces, at most `most`. */
export async function readOpenTransfers({ query }: Tx, after: Hash | null, most: number): Promise<OpenTransfer[]> {
  return query(
    `SELECT transfer_id AS id, page.from_address AS "from", coalesce(amount, 0) AS amount,
            ${hashColumn('page.authorization_nonce')} AS nonce, id IS NULL OR decided_block IS NOT NULL AS "isSettled"
       FROM (SELECT * FROM open_transfers WHERE authorization_nonce > $1 ORDER BY authorization_nonce LIMIT $2) AS page
       LEFT JOIN transfers ON id = transfer_id ORDER BY page.authorization_nonce`,
    [after ? hexToBytes(after) : new Uint8Array(), most],
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
      WHERE id = ANY(ARRAY(SELECT transfer_id FROM open_transfers WHERE from_address > $1 AND from_address <= $2))
      GROUP BY from_address`,
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

/** The transfers after an id and up to another that are not settled, but not listed as open: no log would settle them. */
export async function unlistedTransfers(
  { query }: Tx,
  after: string,
  upTo: string,
): Promise<{ readonly id: TransferId; readonly from: Address; readonly amount: Quarters }[]> {
  return query(
    `SELECT id, from_address AS "from", amount FROM transfers
      WHERE id > $1 AND id <= $2 AND decided_block IS NULL AND id NOT IN (SELECT transfer_id FROM open_transfers) ORDER BY id`,
    [after, upTo],
  );
}

/** The transfers of one account that the chain had not settled at a posted block, and that have not failed since. Call it in a snapshot. */
export async function unsettledAt({ query }: Tx, block: bigint, from: Address): Promise<TransferId[]> {
  const rows = await query<{ id: TransferId }>(
    `SELECT transfer_id AS id FROM open_transfers WHERE from_address = $2
     UNION SELECT id FROM transfers WHERE from_address = $2 AND status = 'completed' AND decided_block > $1`,
    [block, from],
  );
  return rows.map(({ id }) => id);
}

/** A request that does not say what its transfers say. */
export type UnequalRequest = {
  readonly request: RequestId;
  readonly from: Address;
  readonly status: RequestStatus;
  readonly amount: Quarters;
  readonly transfers: readonly TransferId[];
  /** What its transfers pay together. */
  readonly sum: Quarters;
};

/** The last of the next `most` requests after an id; null if there are fewer. */
export async function endOfRequestPage({ query }: Tx, after: string, most: number): Promise<RequestId | null> {
  const [row] = await query<{ id: RequestId }>('SELECT id FROM requests WHERE id > $1 ORDER BY id OFFSET $2 LIMIT 1', [
    after,
    most - 1,
  ]);
  return row?.id ?? null;
}

/**
 * The requests after an id and up to another of another amount than their transfers pay together, or in a state that these do not have:
 * completed means that all are, failed that all are settled and one is not paid, and on its way that one is open. The others have none.
 */
export async function unequalRequests({ query }: Tx, after: string, upTo: string): Promise<UnequalRequest[]> {
  return query(
    `SELECT requests.id AS request, requests.from_address AS "from", requests.status, requests.amount,
            coalesce(array_agg(transfers.id ORDER BY transfers.id) FILTER (WHERE transfers.id IS NOT NULL), '{}') AS transfers,
            coalesce(sum(transfers.amount), 0)::bigint AS sum
       FROM requests LEFT JOIN transfers ON request_id = requests.id
      WHERE requests.id > $1 AND requests.id <= $2 GROUP BY requests.id
     HAVING NOT CASE
              WHEN requests.status IN ('pending', 'declined', 'expired', 'cancelled') THEN count(transfers.id) = 0
              ELSE requests.amount = coalesce(sum(transfers.amount), 0) AND requests.status = ANY(CASE
                     WHEN bool_or(decided_block IS NULL) THEN ARRAY['approved', 'submitted']
                     WHEN bool_and(transfers.status = 'completed') THEN ARRAY['completed']
                     ELSE ARRAY['failed'] END)
            END
      ORDER BY requests.id`,
    [after, upTo],
  );
}
