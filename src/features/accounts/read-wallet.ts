import { Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
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
