import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

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

/** Locks the audit for all processes until the transaction ends. False if another audit is running. */
export async function lockAudit({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.audit')) AS locked`,
  );
  return row?.locked ?? false;
}

/** `posted` and `held` of every account. */
export async function readAllBalances({
  query,
}: Tx): Promise<{ readonly account: Address; readonly posted: Quarters; readonly held: Quarters }[]> {
  return query('SELECT address AS account, posted, held FROM accounts ORDER BY address');
}

/** Accounts whose hold is not the sum of their unsettled transfers. The treasury's hold includes unclaimed rewards. */
export async function unequalHolds({ query }: Tx): Promise<UnequalAccount[]> {
  return query(
    `SELECT address AS account, coalesce(held, 0) AS ledger, coalesce(sum, 0) AS other
         FROM accounts FULL JOIN (
           SELECT address, sum(amount)::bigint AS sum FROM (
             SELECT from_address AS address, amount FROM transfers WHERE status IN ('approved', 'submitted')
             UNION ALL
             SELECT treasury.address, rewards.amount - claimed
               FROM rewards, accounts AS treasury WHERE claimed < rewards.amount AND kind = 'treasury') AS entries
            GROUP BY address) AS sums USING (address)
        WHERE coalesce(held, 0) <> coalesce(sum, 0) ORDER BY 1`,
  );
}

/**
 * Users' accounts whose rewards record another claimed amount than their transfers have claimed (failed ones do not count). Also the
 * treasury, for transfers of a split that claim another amount than they pay.
 */
export async function unequalClaims({ query }: Tx): Promise<UnequalAccount[]> {
  return query(
    `SELECT address AS account, claimed AS ledger, coalesce(sum, 0) AS other
         FROM rewards JOIN accounts USING (user_id) LEFT JOIN (
           SELECT reward_id, sum(reward_claims.amount)::bigint AS sum
             FROM reward_claims JOIN transfers ON transfers.id = transfer_id
            WHERE status <> 'failed' GROUP BY reward_id) AS claims ON reward_id = rewards.id
        WHERE claimed <> coalesce(sum, 0)
       UNION ALL
       SELECT from_address, amount, coalesce(sum, 0)
         FROM transfers JOIN accounts ON address = from_address AND kind = 'treasury' LEFT JOIN (
           SELECT transfer_id, sum(amount)::bigint AS sum FROM reward_claims GROUP BY transfer_id) AS claims
           ON transfer_id = transfers.id
        WHERE request_id IS NOT NULL AND amount <> coalesce(sum, 0)
       ORDER BY 1`,
  );
}

/** Accounts whose balance is not the sum of their postings. */
export async function unequalPostings({ query }: Tx): Promise<UnequalAccount[]> {
  return query(
    `SELECT address AS account, coalesce(posted, 0) AS ledger, coalesce(sum, 0) AS other
         FROM accounts FULL JOIN (
           SELECT address, sum(amount)::bigint AS sum FROM (
             SELECT to_address AS address, amount FROM postings
             UNION ALL SELECT from_address, -amount FROM postings) AS entries
            GROUP BY address) AS sums USING (address)
        WHERE coalesce(posted, 0) <> coalesce(sum, 0) ORDER BY 1`,
  );
}

/**
 * Completed transfers without a log of their own, and logs from our accounts without a transfer: then somebody else has the key.
 * A log of 0 quarters proves nothing, since the token lets anybody "transfer" nothing from anybody.
 */
export async function unequalPayments({ query }: Tx): Promise<UnequalPayment[]> {
  return query<UnequalPayment>(
    `SELECT tx_hash AS "txHash", from_address AS "from", to_address AS "to", amount, coalesce(ids, '{}') AS transfers,
            coalesce(logs, 0) AS logs
       FROM (SELECT tx_hash, from_address, to_address, amount, array_agg(id::text ORDER BY id) AS ids FROM transfers
              WHERE status = 'completed' GROUP BY 1, 2, 3, 4) AS decided
       FULL JOIN (SELECT tx_hash, from_address, to_address, amount, count(*) AS logs
                    FROM postings JOIN accounts ON address = from_address AND kind <> 'external'
                   WHERE amount > 0 GROUP BY 1, 2, 3, 4) AS paid
         USING (tx_hash, from_address, to_address, amount)
      WHERE coalesce(cardinality(ids), 0) <> coalesce(logs, 0) ORDER BY 1, 2, 3, 4`,
  );
}
