import type { Address } from '../../base/address.ts';
import { inTime } from '../../base/in-time.ts';
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

/** `weiAge`: for how long the node has not said it again, in seconds; 0 if it has just now, null if it never has. */
export type Balance = { readonly quarters: Quarters; readonly wei: bigint; readonly weiAge: number | null };

/** Longer than a node takes that answers, and no longer than a player waits for quarters, which need no node. */
const ETHER_WITHIN_MS = 1_500;
/** Limits memory. */
const MOST_KNOWN = 10_000;

/**
 * Returns what reads what a caller's account can spend now, by the ledger, and its ether as of the last block, at most five seconds ago. While
 * the node does not answer, the ether is what it said last, and 0 if it never did. That throws `not-found`.
 */
export function openBalanceReader(service: Service): (caller: Caller, address: Address) => Promise<Balance> {
  const readWei = openWeiReader(service.rpc, () => service.settlement.headHash);
  const known = new Map<Address, { readonly wei: bigint; readonly at: number }>();
  return async (caller, address) => {
    const account = await ownAccount(service, caller, address);
    const wei = await inTime(readWei(address), ETHER_WITHIN_MS);
    const now = performance.now();
    if (wei !== null) {
      if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
      known.set(address, { wei, at: now });
      return { quarters: available(account), wei, weiAge: 0 };
    }
    const last = known.get(address);
    const weiAge = last ? Math.ceil((now - last.at) / 1000) : null;
    return { quarters: available(account), wei: last?.wei ?? 0n, weiAge };
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
