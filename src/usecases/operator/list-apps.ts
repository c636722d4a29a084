import { listApps as readApps } from '../../identity/apps.ts';
import { type ListedApp, withAccount } from '../listed-app.ts';
import type { Service } from '../service.ts';

/** Every registered app with its account, oldest first. */
export async function listApps({ db }: Pick<Service, 'db'>): Promise<ListedApp[]> {
  return Promise.all((await readApps(db)).map((app) => withAccount({ db }, app)));
}
