import type { UserId } from '../../base/ids.ts';
import { type AppKey, listKeys } from '../../identity/app-keys.ts';
import type { Service } from '../../settlement/service.ts';
import { type ListedApp, withAccount } from './listed-app.ts';
import { ownApp } from './own-app.ts';

/** `keys`: the active ones, oldest first. */
export type OwnApp = ListedApp & { readonly keys: readonly AppKey[] };

/** One of a developer's apps. Throws `not-found`. */
export async function showOwnApp({ db }: Service, ownerId: UserId, id: string): Promise<OwnApp> {
  const app = await ownApp({ db }, ownerId, id);
  const [listed, keys] = await Promise.all([withAccount({ db }, app), listKeys(db, app.id, { living: true })]);
  return { ...listed, keys };
}
