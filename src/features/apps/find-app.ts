import type { AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type App, findApp as readApp } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';

/** Any app. Throws `not-found`. */
export async function findApp({ db }: Pick<Service, 'db'>, id: AppId): Promise<App> {
  const app = await readApp(db, id);
  if (!app) throw new Problem('not-found', `There is no app "${id}".`);
  return app;
}
