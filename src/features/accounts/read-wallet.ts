import { Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { type App, listAppsOf } from '../../identity/apps.ts';
import type { User } from '../../identity/users.ts';
import { type Account, findAccountOfUser } from '../../ledger/accounts.ts';
import { unclaimedRewards } from '../../ledger/rewards.ts';
import type { Service } from '../../settlement/service.ts';

export type Wallet = {
  readonly account: Account;
  /** Granted and not claimed yet. */
  readonly reward: Quarters;
};

/** The quarters that a person has. */
export async function readWallet({ db }: Pick<Service, 'db'>, user: Pick<User, 'id'>): Promise<Wallet> {
  const [account, reward] = await Promise.all([findAccountOfUser(db, user.id), unclaimedRewards(db, user.id)]);
  if (!account) throw new Problem('not-found', 'There is no such account.');
  return { account, reward };
}

/** What a person should know before closing their account. */
export type AccountClosure = {
  readonly wallet: Wallet;
  /** Apps that they own; as long as there are any, the account cannot be closed. */
  readonly apps: readonly App[];
};

export async function prepareClosure({ db }: Pick<Service, 'db'>, user: User): Promise<AccountClosure> {
  const [wallet, apps] = await Promise.all([readWallet({ db }, user), listAppsOf(db, user.id)]);
  return { wallet, apps };
}
