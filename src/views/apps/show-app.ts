import { toChecksum } from '../../base/address.ts';
import type { Quarters } from '../../base/quarters.ts';
import { type AppKey, listKeys } from '../../identity/app-keys.ts';
import { listAppsWithRole, readApps } from '../../identity/apps.ts';
import { lookUpUser } from '../../identity/users.ts';
import { available, lookUpAccountOfApp } from '../../ledger/accounts.ts';
import { type AppManager, appFor, type ManagedApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';

/** `balance`: what the app can spend now. */
export type ListedApp = { readonly app: ManagedApp; readonly address: `0x${string}`; readonly balance: Quarters };

export type ShownApp = ListedApp & {
  /** Null if the operator registered it. */
  readonly ownerEmail: string | null;
  /** Oldest first. An operator also sees revoked ones. */
  readonly keys: readonly AppKey[];
};

/** Everything about an app but its secrets. */
export async function showApp(service: Pick<Service, 'db'>, caller: AppManager, id: string): Promise<ShownApp> {
  const { db } = service;
  const app = await appFor(service, caller, id, 'read');
  const [listed, owner, keys] = await Promise.all([
    withAccount(service, app),
    app.ownerId && lookUpUser(db, app.ownerId),
    listKeys(db, app.id, { living: caller.kind === 'developer' }),
  ]);
  return { ...listed, ownerEmail: owner ? owner.email : null, keys };
}

/** The apps that the caller manages, with the caller's role and their accounts, oldest first. An operator also sees deleted ones. */
export async function listApps(service: Pick<Service, 'db'>, caller: AppManager): Promise<ListedApp[]> {
  const { db } = service;
  const apps = await (caller.kind === 'operator' ? allApps(db) : listAppsWithRole(db, caller.session.userId));
  return Promise.all(apps.map((app) => withAccount(service, app)));
}

async function allApps(db: Service['db']): Promise<ManagedApp[]> {
  return (await readApps(db)).map((app) => ({ ...app, role: 'operator' }));
}

async function withAccount({ db }: Pick<Service, 'db'>, app: ManagedApp): Promise<ListedApp> {
  const account = await lookUpAccountOfApp(db, app.id);
  if (!account) throw new Error(`The app ${app.id} has no account`);
  return { app, address: toChecksum(account.address), balance: available(account) };
}
