import { type Address, ZERO_ADDRESS } from '../base/address.ts';
import type { TransferId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';

/** What the operator owes to the account of a user or an app. */
export type OwedTo = {
  readonly address: Address;
  /** The balance at a block, with that of addresses that the account has left. Below zero only if the ledger has a fault. */
  readonly balance: bigint;
  /** Granted, and not paid out by that block. */
  readonly rewards: bigint;
};

/** Rows of one answer: hashed in a blink, so that whoever shares the process is not held up. */
const ROWS = 2_000;

/**
 * Everything owed at a posted block, in the order of SHA-256(`secret`, address). Call it in a snapshot: a balance at that block is the
 * balance now, less the postings of later blocks. `unsettled`: the treasury's transfers that the chain had not settled at the block, of
 * which some pay rewards. PostgreSQL sorts, so that a million accounts never are in memory at once.
 */
export async function* readOwed(
  { query }: Tx,
  block: bigint,
  secret: Uint8Array,
  unsettled: readonly TransferId[],
): AsyncGenerator<readonly OwedTo[]> {
  await query(
    `DECLARE owed NO SCROLL CURSOR FOR
     WITH later AS (
       SELECT address, sum(amount)::bigint AS moved FROM (
         SELECT to_address AS address, amount FROM postings WHERE block_number > $1
         UNION ALL SELECT from_address, -amount FROM postings WHERE block_number > $1) AS entries GROUP BY address
     ), granted AS (
       SELECT user_id, sum(amount)::bigint AS rewards FROM (
         SELECT user_id, amount - claimed AS amount FROM rewards WHERE claimed < amount
         UNION ALL SELECT user_id, reward_claims.amount FROM reward_claims JOIN rewards ON rewards.id = reward_id
                    WHERE transfer_id = ANY($3::uuid[])) AS parts GROUP BY user_id
     ), left_behind AS (
       SELECT merged_into AS address, sum(posted - coalesce(moved, 0))::bigint AS amount
         FROM accounts LEFT JOIN later USING (address) WHERE kind = 'swept' GROUP BY merged_into
     )
     SELECT address, posted - coalesce(moved, 0) + coalesce(left_behind.amount, 0) AS balance, coalesce(rewards, 0) AS rewards
       FROM accounts LEFT JOIN later USING (address) LEFT JOIN left_behind USING (address) LEFT JOIN granted USING (user_id)
      WHERE kind IN ('user', 'app', 'recovered') ORDER BY sha256($2::bytea || decode(substr(address, 3), 'hex'))`,
    [block, secret, unsettled],
  );
  for (;;) {
    const rows = await query<OwedTo>(`FETCH ${ROWS} FROM owed`);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) break;
  }
  await query('CLOSE owed');
}

/** The supply and the treasury's balance at a posted block, as the ledger has them. Call it in a snapshot. */
export async function readTotalsAt(
  { query }: Tx,
  block: bigint,
): Promise<{ readonly treasury: Address; readonly inTreasury: bigint; readonly supply: bigint } | null> {
  const rows = await query<{ address: Address; balance: bigint }>(
    `SELECT address, posted - (
              SELECT coalesce(sum(CASE address WHEN to_address THEN amount ELSE 0 END
                                - CASE address WHEN from_address THEN amount ELSE 0 END), 0)::bigint
                FROM postings WHERE block_number > $1 AND address IN (from_address, to_address)) AS balance
       FROM accounts WHERE kind = 'treasury' OR address = $2`,
    [block, ZERO_ADDRESS],
  );
  const treasury = rows.find(({ address }) => address !== ZERO_ADDRESS);
  const source = rows.find(({ address }) => address === ZERO_ADDRESS);
  return treasury && source
    ? { treasury: treasury.address, inTreasury: treasury.balance, supply: -source.balance }
    : null;
}
