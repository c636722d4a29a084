import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { readBalanceWei } from '../../chain/state.ts';
import type { Caller } from '../../identity/callers.ts';
import { available } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { ownAccount } from './own-account.ts';

export type Balance = { readonly quarters: Quarters; readonly wei: bigint };

/** What the caller's account can spend now, and its ether. Throws `not-found`, `chain-unavailable`. */
export async function readBalance(service: Service, caller: Caller, address: Address): Promise<Balance> {
  const account = await ownAccount(service, caller, address);
  const wei = await readBalanceWei(service.rpc, address).catch(() => {
    throw new Problem('chain-unavailable', 'The chain cannot be reached to read the ether balance. Try again.');
  });
  return { quarters: available(account), wei };
}
