import { type App, listAppsOf } from '../../identity/apps.ts';
import type { User } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';
import { readWallet, type Wallet } from './read-wallet.ts';

/** What a person should know before closing their account. */
export type Leaving = {
  readonly wallet: Wallet;
  /** Apps that they own; as long as there are any, the account cannot be closed. */
  readonly apps: readonly App[];
};

export async function prepareLeaving({ db }: Pick<Service, 'db'>, user: User): Promise<Leaving> {
  const [wallet, apps] = await Promise.all([readWallet({ db }, user), listAppsOf(db, user.id)]);
  return { wallet, apps };
}
