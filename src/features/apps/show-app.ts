import type { AppId, UserId } from '../../base/ids.ts';
import { type AppKey, listKeys } from '../../identity/app-keys.ts';
import { findUser } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';
import { requireApp } from './find-app.ts';
import { type ListedApp, withAppAccount } from './list-apps.ts';
import { ownApp } from './own-app.ts';

export type ShownApp = ListedApp & {
  /** Null if the operator registered it. */
  readonly ownerEmail: string | null;
  /** Including revoked ones, oldest first. */
  readonly keys: readonly AppKey[];
};

/** Everything about an app but its secrets. Throws `not-found`. */
export async function showApp({ db }: Pick<Service, 'db'>, id: AppId): Promise<ShownApp> {
  const app = await requireApp({ db }, id);
  const [listed, owner, keys] = await Promise.all([
    withAppAccount({ db }, app),
    app.ownerId && findUser(db, app.ownerId),
    listKeys(db, app.id, { living: false }),
  ]);
  return { ...listed, ownerEmail: owner ? owner.email : null, keys };
}

/** `keys`: the active ones, oldest first. */
export type OwnApp = ListedApp & { readonly keys: readonly AppKey[] };

/** One of a developer's apps. Throws `not-found`. */
export async function showOwnApp({ db }: Service, ownerId: UserId, id: string): Promise<OwnApp> {
  const app = await ownApp({ db }, ownerId, id);
  const [listed, keys] = await Promise.all([withAppAccount({ db }, app), listKeys(db, app.id, { living: true })]);
  return { ...listed, keys };
}
