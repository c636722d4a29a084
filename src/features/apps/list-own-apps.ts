import type { UserId } from '../../base/ids.ts';
import { listAppsOf } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { type ListedApp, withAccount } from './listed-app.ts';

/** A developer's apps with their accounts, oldest first. */
export async function listOwnApps({ db }: Service, ownerId: UserId): Promise<ListedApp[]> {
  return Promise.all((await listAppsOf(db, ownerId)).map((app) => withAccount({ db }, app)));
}
