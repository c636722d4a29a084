import type { Address } from '../../base/address.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { UserCaller } from '../../identity/callers.ts';
import { unclaimedRewards } from '../../ledger/rewards.ts';
import type { Service } from '../../settlement/service.ts';
import { ownAccount } from '../accounts/own-account.ts';

/** Quarters granted to the user and not yet claimed. Throws `not-found`. */
export async function readRewards(service: Service, caller: UserCaller, address: Address): Promise<Quarters> {
  await ownAccount(service, caller, address);
  return unclaimedRewards(service.db, caller.userId);
}
