import { type Address, asAddress } from '../base/address.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

export type LockedAccount = { readonly posted: Quarters; held: Quarters };

/**
 * Locks accounts in address order (the printed lock order) and reads their balances as they now are.
 *
 * NO KEY UPDATE: a plain FOR UPDATE conflicts with the key-share lock of a foreign key check and deadlocks.
 */
export async function lockAccounts({ query }: Tx, addresses: Iterable<Address>): Promise<Map<Address, LockedAccount>> {
  const rows = await query<{ address: string; posted: bigint; held: bigint }>(
    'SELECT address, posted, held FROM accounts WHERE address = ANY($1) ORDER BY address FOR NO KEY UPDATE',
    [[...new Set(addresses)].sort()],
  );
  return new Map(
    rows.map((row) => [asAddress(row.address), { posted: asQuarters(row.posted), held: asQuarters(row.held) }]),
  );
}

/** Sets quarters aside. The accounts must be locked and the caller must have seen that there is enough. */
export async function addHolds({ query }: Tx, amounts: ReadonlyMap<Address, Quarters>): Promise<void> {
  await query(
    `UPDATE accounts SET held = held + change.amount
       FROM unnest($1::text[], $2::bigint[]) AS change (address, amount)
      WHERE accounts.address = change.address`,
    [[...amounts.keys()], [...amounts.values()]],
  );
}
