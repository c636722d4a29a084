import type { Address } from '../base/address.ts';
import { MAX_QUARTERS, type Quarters } from '../base/quarters.ts';
import { columnsOf, type Queries, type Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** What one posting brings to an account. */
export type Deposit = { readonly from: Address; readonly to: Address; readonly amount: Quarters };

/** Records deposits that a reorganisation took from our accounts: the chain may return them. Call it in the transaction that removes the postings. */
export async function recordOrphaned({ query }: Tx, deposits: readonly Deposit[]): Promise<void> {
  if (deposits.length === 0) return;
  await query(
    `INSERT INTO orphaned_deposits (address, amount)
     SELECT address, least(sum(amount), $3::bigint)
       FROM unnest($1::text[], $2::bigint[]) AS deposit (address, amount) JOIN accounts USING (address)
      WHERE kind <> 'external' AND amount > 0 GROUP BY address ORDER BY address
     ON CONFLICT (address) DO UPDATE
       SET amount = least(orphaned_deposits.amount::numeric + excluded.amount, $3::bigint), orphaned_at = excluded.orphaned_at`,
    // The removed blocks may have moved the same quarters many times.
    [...columnsOf(received(deposits), ['to', 'amount']), MAX_QUARTERS],
  );
}

/** Records that these deposits have returned. Call it in the transaction that posts them. */
export async function recordReturned({ query }: Tx, deposits: readonly Deposit[]): Promise<void> {
  if (deposits.length === 0) return;
  await query(
    `WITH deposits AS (
       SELECT address, sum(amount) AS amount FROM unnest($1::text[], $2::bigint[]) AS deposit (address, amount) GROUP BY address
     ), missing AS (
       SELECT address, orphaned_deposits.amount - deposits.amount AS amount
         FROM orphaned_deposits JOIN deposits USING (address) ORDER BY address FOR UPDATE OF orphaned_deposits
     ), back AS (
       DELETE FROM orphaned_deposits USING missing WHERE orphaned_deposits.address = missing.address AND missing.amount <= 0)
     UPDATE orphaned_deposits SET amount = missing.amount FROM missing
      WHERE orphaned_deposits.address = missing.address AND missing.amount > 0`,
    columnsOf(received(deposits), ['to', 'amount']),
  );
}

/** What the chain may return to these accounts. Accounts that miss nothing are left out. Exact while the accounts are locked. */
export async function orphanedDeposits(
  { query }: Queries,
  addresses: readonly Address[],
): Promise<Map<Address, Quarters>> {
  if (addresses.length === 0) return new Map();
  const rows = await query<{ address: Address; amount: Quarters }>(
    'SELECT address, amount FROM orphaned_deposits WHERE address = ANY($1)',
    [addresses],
  );
  return new Map(rows.map(({ address, amount }) => [address, amount]));
}

export const KEPT_ORPHANED_DEPOSITS = keepUntil(
  { from: 'FROM orphaned_deposits', key: 'address', since: 'orphaned_at', order: 'address', age: '1 hour' },
  { what: 'a deposit that a reorganisation took away', kept: 'after that', why: 'its return, which may never come' },
);

/** A payment to oneself is no deposit. */
function received(deposits: readonly Deposit[]): Deposit[] {
  return deposits.filter(({ from, to }) => from !== to);
}
