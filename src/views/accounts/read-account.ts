import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { openWeiReader } from '../../chain/wei.ts';
import type { Caller, Profile, UserCaller } from '../../identity/callers.ts';
import { lookUpUser, type User } from '../../identity/users.ts';
import { type Account, available, lookUpAccount, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { unclaimedRewards } from '../../ledger/rewards.ts';
import type { Service } from '../../service/service.ts';

/**
 * The account at `address` if it is the caller's own. Somebody else's account gets the same answer as an unknown one.
 */
export async function ownAccount({ db }: Pick<Service, 'db'>, caller: Caller, address: Address): Promise<Account> {
  return ownedBy(caller, await lookUpAccount(db, address));
}

/** The account if it is the caller's own. Throws `not-found`. */
export function ownedBy(caller: Caller, account: Account | null): Account {
  const isOwn = caller.kind === 'user' ? account?.userId === caller.userId : account?.appId === caller.appId;
  if (!account || !isOwn) throw new Problem('not-found', 'There is no such account of yours.');
  return account;
}

/** The user's accounts; at present each user has exactly one. */
export async function readAccounts({ db }: Service, caller: UserCaller): Promise<Account[]> {
  const account = await lookUpAccountOfUser(db, caller.userId);
  return account ? [account] : [];
}

export type Balance = { readonly quarters: Quarters; readonly wei: bigint };

/**
 * Returns what reads what a caller's account can spend now, and its ether as of the last block, at most five seconds ago. That throws
 * `not-found`, `chain-unavailable`.
 */
export function openBalanceReader(service: Service): (caller: Caller, address: Address) => Promise<Balance> {
  const readWei = openWeiReader(service.rpc, () => service.settlement.headHash);
  return async (caller, address) => {
    const account = await ownAccount(service, caller, address);
    const wei = await readWei(address).catch(() => {
      throw new Problem('chain-unavailable', 'The chain cannot be reached to read the ether balance. Try again.');
    });
    return { quarters: available(account), wei };
  };
}

export type Me = Profile & Pick<User, 'id'>;

/** The user, as far as the token allows: no name without the scope `profile`, no address without `email`. */
export async function readMe({ db }: Service, { userId, scopes, profile }: UserCaller): Promise<Me> {
  const user = profile ?? (await lookUpUser(db, userId));
  if (!user) throw new Problem('not-found', 'There is no such user.');
  const mayKnowEmail = scopes.includes('email');
  return {
    id: userId,
    displayName: scopes.includes('profile') ? user.displayName : '',
    email: mayKnowEmail ? user.email : '',
    emailVerified: mayKnowEmail && user.emailVerified,
  };
}

export type Wallet = {
  readonly account: Account;
  /** Granted and not claimed yet. */
  readonly reward: Quarters;
};

/** The quarters that a person has. */
export async function readWallet({ db }: Pick<Service, 'db'>, user: Pick<User, 'id'>): Promise<Wallet> {
  const [account, reward] = await Promise.all([lookUpAccountOfUser(db, user.id), unclaimedRewards(db, user.id)]);
  if (!account) throw new Problem('not-found', 'There is no such account.');
  return { account, reward };
}
