import { listApps as readApps } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { type ListedApp, withAccount } from './listed-app.ts';

/** Every registered app with its account, oldest first. */
export async function listApps({ db }: Pick<Service, 'db'>): Promise<ListedApp[]> {
  return Promise.all((await readApps(db)).map((app) => withAccount({ db }, app)));
}
