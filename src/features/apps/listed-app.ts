import { toChecksum } from '../../base/address.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { App } from '../../identity/apps.ts';
import { available, findAccountOfApp } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';

/** `balance`: what the app can spend now. */
export type ListedApp = { readonly app: App; readonly address: `0x${string}`; readonly balance: Quarters };

export async function withAccount({ db }: Pick<Service, 'db'>, app: App): Promise<ListedApp> {
  const account = await findAccountOfApp(db, app.id);
  if (!account) throw new Error(`The app ${app.id} has no account`);
  return { app, address: toChecksum(account.address), balance: available(account) };
}
