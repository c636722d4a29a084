import type { Address } from '../base/address.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

export type LockedAccount = { readonly posted: Quarters; held: Quarters };

/**
 * Locks accounts in address order (the documented lock order) and reads their current balances.
 *
 * NO KEY UPDATE: a plain FOR UPDATE conflicts with the key-share lock of a foreign key check and deadlocks.
 */
export async function lockAccounts({ query }: Tx, addresses: Iterable<Address>): Promise<Map<Address, LockedAccount>> {
  const rows = await query<LockedAccount & { readonly address: Address }>(
    'SELECT address, posted, held FROM accounts WHERE address = ANY($1) ORDER BY address FOR NO KEY UPDATE',
    [[...new Set(addresses)].sort()],
  );
  return new Map(rows.map(({ address, ...balances }) => [address, balances]));
}

/** Adds to the holds. The caller must have locked the accounts and checked that they have enough. */
export async function addHolds({ query }: Tx, amounts: ReadonlyMap<Address, Quarters>): Promise<void> {
  await query(
    `UPDATE accounts SET held = held + change.amount
       FROM unnest($1::text[], $2::bigint[]) AS change (address, amount)
      WHERE accounts.address = change.address`,
    [[...amounts.keys()], [...amounts.values()]],
  );
}
