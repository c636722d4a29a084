import { toChecksum } from '../../base/address.ts';
import type { UserId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { type App, listAppsOf, readApps } from '../../identity/apps.ts';
import { available, findAccountOfApp } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';

/** `balance`: what the app can spend now. */
export type ListedApp = { readonly app: App; readonly address: `0x${string}`; readonly balance: Quarters };

export async function withAppAccount({ db }: Pick<Service, 'db'>, app: App): Promise<ListedApp> {
  const account = await findAccountOfApp(db, app.id);
  if (!account) throw new Error(`The app ${app.id} has no account`);
  return { app, address: toChecksum(account.address), balance: available(account) };
}

/** Every registered app with its account, oldest first. */
export async function listApps({ db }: Pick<Service, 'db'>): Promise<ListedApp[]> {
  return Promise.all((await readApps(db)).map((app) => withAppAccount({ db }, app)));
}

/** A developer's apps with their accounts, oldest first. */
export async function listOwnApps({ db }: Service, ownerId: UserId): Promise<ListedApp[]> {
  return Promise.all((await listAppsOf(db, ownerId)).map((app) => withAppAccount({ db }, app)));
}
