import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import type { Caller } from '../../identity/callers.ts';
import { type Account, findAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * The account at `address` if it is the caller's own. Somebody else's account gets the same answer as an unknown one.
 */
export async function ownAccount({ db }: Pick<Service, 'db'>, caller: Caller, address: Address): Promise<Account> {
  const account = await findAccount(db, address);
  const isOwn = caller.kind === 'user' ? account?.userId === caller.userId : account?.appId === caller.appId;
  if (!account || !isOwn) throw new Problem('not-found', 'There is no such account of yours.');
  return account;
}
