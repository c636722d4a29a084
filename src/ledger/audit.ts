import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { RewardId, TransferId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { hashColumn } from '../db/columns.ts';
import type { Tx } from '../db/database.ts';

// The audit reads the ledger in pages. Each page is a short transaction, so that no long snapshot keeps PostgreSQL from
// removing old versions of busy rows.

/** An account with two sums that differ and must be equal. */
export type UnequalAccount = { readonly account: Address; readonly ledger: bigint; readonly other: bigint };

/**
 * A payment from one of our accounts for which the numbers of completed transfers and of `Transfer` logs differ. More transfers: one
 * was completed without being paid. More logs: one was paid that nobody accepted.
 */
export type UnequalPayment = {
  readonly txHash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly transfers: readonly TransferId[];
  readonly logs: bigint;
};

export type AuditedAccount = {
  readonly account: Address;
  readonly isTreasury: boolean;
  readonly posted: Quarters;
  readonly held: Quarters;
  /** The balance when the given block was posted: `posted` without the postings of later blocks. */
  readonly postedThen: bigint;
  /** The hash of the address, for the sum over all accounts. */
  readonly hash: bigint;
};

/** The accounts after an address, in the order of their addresses, at most `most`, with their balances at a posted block. */
export async function readAccountsAt(
  { query }: Tx,
  block: bigint,
  after: Address | '',
  most: number,
  seed: bigint,
): Promise<AuditedAccount[]> {
  return query<AuditedAccount>(
    `WITH page AS (
       SELECT address, kind, posted, held FROM accounts WHERE address > $1 ORDER BY address LIMIT $2
     ), later AS (
       SELECT address, sum(amount)::bigint AS moved FROM (
         SELECT to_address AS address, amount FROM postings WHERE block_number > $3
         UNION ALL SELECT from_address, -amount FROM postings WHERE block_number > $3) AS entries
        WHERE address > $1 AND address <= (SELECT max(address) FROM page) GROUP BY address
     )
     SELECT address AS account, kind = 'treasury' AS "isTreasury", posted, held, posted - coalesce(moved, 0) AS "postedThen",
            hashtextextended(address, $4) AS hash
       FROM page LEFT JOIN later USING (address) ORDER BY address`,
    [after, most, block, seed],
  );
}

/** What the treasury holds for rewards that are not claimed yet. */
export async function sumUnclaimed({ query }: Tx): Promise<bigint> {
  const [row] = await query<{ sum: bigint }>(
    'SELECT coalesce(sum(amount - claimed), 0)::bigint AS sum FROM rewards WHERE claimed < amount',
  );
  return row!.sum;
}

/** The last of the next `most` rewards after an id; null if there are fewer. */
export async function endOfRewardPage({ query }: Tx, after: string, most: number): Promise<RewardId | null> {
  const [row] = await query<{ id: RewardId }>('SELECT id FROM rewards WHERE id > $1 ORDER BY id OFFSET $2 LIMIT 1', [
    after,
    most - 1,
  ]);
  return row?.id ?? null;
}

/** The users' accounts whose rewards record another claimed amount than their transfers have claimed (failed ones do not count). */
export async function unequalRewards({ query }: Tx, after: string, upTo: string): Promise<UnequalAccount[]> {
  return query(
    `SELECT address AS account, claimed AS ledger, coalesce(sum, 0) AS other
       FROM rewards JOIN accounts USING (user_id) CROSS JOIN LATERAL (
         SELECT sum(reward_claims.amount)::bigint AS sum
           FROM reward_claims JOIN transfers ON transfers.id = transfer_id
          WHERE reward_id = rewards.id AND status <> 'failed') AS claims
      WHERE rewards.id > $1 AND rewards.id <= $2 AND claimed <> coalesce(sum, 0) ORDER BY 1`,
    [after, upTo],
  );
}

/** The treasury's address, once for each of its transfers of a split that claims another amount of rewards than it pays. */
export async function unequalRewardTransfers({ query }: Tx, after: string, upTo: string): Promise<UnequalAccount[]> {
  return query(
    `SELECT from_address AS account, transfers.amount AS ledger, coalesce(sum, 0) AS other
       FROM transfers CROSS JOIN LATERAL (
         SELECT sum(amount)::bigint AS sum FROM reward_claims WHERE transfer_id = transfers.id) AS claims
      WHERE transfers.id > $1 AND transfers.id <= $2 AND request_id IS NOT NULL
        AND from_address IN (
          SELECT address FROM accounts WHERE kind = 'treasury'
          UNION ALL SELECT former.address FROM accounts AS former JOIN accounts ON accounts.address = former.merged_into
                     WHERE former.kind = 'swept' AND accounts.kind = 'treasury')
        AND transfers.amount <> coalesce(sum, 0)`,
    [after, upTo],
  );
}

/** The block with the last of about the next `most` postings after a block; null if there are fewer. Whole blocks only. */
export async function endOfPostingPage({ query }: Tx, after: bigint, most: number): Promise<bigint | null> {
  const [row] = await query<{ block: bigint }>(
    'SELECT block_number AS block FROM postings WHERE block_number > $1 ORDER BY block_number OFFSET $2 LIMIT 1',
    [after, most - 1],
  );
  return row?.block ?? null;
}

/** What the blocks after one and up to another posted, times the hashes of the addresses. */
export async function sumPostings({ query }: Tx, after: bigint, upTo: bigint, seed: bigint): Promise<bigint> {
  // PostgreSQL's numeric arrives as text.
  const [row] = await query<{ sum: string }>(
    `SELECT coalesce(sum(amount * (hashtextextended(to_address, $3)::numeric - hashtextextended(from_address, $3))), 0) AS sum
       FROM postings WHERE block_number > $1 AND block_number <= $2`,
    [after, upTo, seed],
  );
  return BigInt(row!.sum);
}

/**
 * The accounts whose balance is not the sum of their postings. Reads all postings, in one statement. `found`: how many there are; at most
 * `most` are returned (null: all).
 */
export async function unequalPostings(
  { query }: Tx,
  most: number | null,
): Promise<(UnequalAccount & { readonly found: bigint })[]> {
  return query(
    `SELECT address AS account, coalesce(posted, 0) AS ledger, coalesce(sum, 0) AS other, count(*) OVER () AS found
       FROM accounts FULL JOIN (
         SELECT address, sum(amount)::bigint AS sum FROM (
           SELECT to_address AS address, amount FROM postings
           UNION ALL SELECT from_address, -amount FROM postings
           UNION ALL SELECT address, posted FROM archived_balances) AS entries
          GROUP BY address) AS sums USING (address)
      WHERE coalesce(posted, 0) <> coalesce(sum, 0) ORDER BY 1 LIMIT $1`,
    [most],
  );
}

/**
 * Whether the blocks after one and up to another have payments for {@link unequalPayments}: the same question, which costs a
 * fraction without the transfers' names.
 */
export async function hasUnequalPayments({ query }: Tx, after: bigint, upTo: bigint): Promise<boolean> {
  const rows = await query(
    `SELECT FROM (
       SELECT from_address, sum(sign) AS unpaid FROM (
         SELECT tx_hash, from_address, to_address, amount, 1 AS sign FROM transfers
          WHERE status = 'completed' AND decided_block > $1 AND decided_block <= $2
         UNION ALL
         SELECT tx_hash, from_address, to_address, amount, -1 FROM postings
          WHERE amount > 0 AND block_number > $1 AND block_number <= $2) AS payments
        GROUP BY tx_hash, from_address, to_address, amount HAVING sum(sign) <> 0) AS unequal
      WHERE unpaid > 0 OR EXISTS (SELECT FROM accounts WHERE address = from_address AND kind <> 'external') LIMIT 1`,
    [after, upTo],
  );
  return rows.length > 0;
}

/**
 * The payments in the blocks after one and up to another for which the numbers of completed transfers and of logs differ. A log of one of
 * our accounts without a transfer means that somebody else has its key. A log of 0 quarters is no payment, since the token lets anybody
 * "transfer" nothing from anybody. `found`, `most`: as above.
 */
export async function unequalPayments(
  { query }: Tx,
  after: bigint,
  upTo: bigint,
  most: number | null,
): Promise<(UnequalPayment & { readonly found: bigint })[]> {
  return query(
    `SELECT ${hashColumn('tx_hash')} AS "txHash", from_address AS "from", to_address AS "to", amount,
            coalesce(ids, '{}') AS transfers, coalesce(logs, 0) AS logs, count(*) OVER () AS found
       FROM (SELECT tx_hash, from_address, to_address, amount, array_agg(id::text ORDER BY id) AS ids FROM transfers
              WHERE status = 'completed' AND decided_block > $1 AND decided_block <= $2 GROUP BY 1, 2, 3, 4) AS decided
       FULL JOIN (SELECT tx_hash, from_address, to_address, amount, count(*) AS logs
                    FROM postings JOIN accounts ON address = from_address AND kind <> 'external'
                   WHERE amount > 0 AND block_number > $1 AND block_number <= $2 GROUP BY 1, 2, 3, 4) AS paid
         USING (tx_hash, from_address, to_address, amount)
      WHERE coalesce(cardinality(ids), 0) <> coalesce(logs, 0) ORDER BY 1, 2, 3, 4 LIMIT $3`,
    [after, upTo, most],
  );
}

/**
 * The blocks after one and up to another in which an account of ours paid more often than the transfers say, and those after `movedAfter`
 * (null: none) in which somebody else paid somebody who is not ours: these may be accounts of ours that nobody knows yet.
 */
export async function blocksOfUnknownPayments(
  { query }: Tx,
  after: bigint,
  upTo: bigint,
  movedAfter: bigint | null,
): Promise<bigint[]> {
  const rows = await query<{ block: bigint }>(
    `SELECT block FROM (
       SELECT tx_hash, from_address, to_address, amount, block_number AS block, 1 AS sign
         FROM postings JOIN accounts ON address = from_address AND kind <> 'external'
        WHERE amount > 0 AND block_number > $1 AND block_number <= $2
       UNION ALL
       SELECT tx_hash, from_address, to_address, amount, decided_block, -1 FROM transfers
        WHERE status = 'completed' AND decided_block > $1 AND decided_block <= $2) AS payments
      GROUP BY tx_hash, from_address, to_address, amount, block HAVING sum(sign) > 0
     UNION
     SELECT block_number FROM postings JOIN accounts AS payer ON payer.address = from_address
            JOIN accounts AS payee ON payee.address = to_address
      WHERE amount > 0 AND block_number > greatest($1, $3) AND block_number <= $2 AND $3 IS NOT NULL
        AND payer.kind = 'external' AND payee.kind = 'external'
     ORDER BY 1`,
    [after, upTo, movedAfter],
  );
  return rows.map(({ block }) => block);
}
