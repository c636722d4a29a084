import type { UserCaller } from '../../identity/callers.ts';
import { type Account, findAccountOfUser } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';

/** The user's accounts; at present each user has exactly one. */
export async function readAccounts({ db }: Service, caller: UserCaller): Promise<Account[]> {
  const account = await findAccountOfUser(db, caller.userId);
  return account ? [account] : [];
}
