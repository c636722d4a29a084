import { APP_ID_PATTERN, type AppId, type UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type App, findApp } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';

const APP_ID = new RegExp(APP_ID_PATTERN);

/**
 * The developer's own app. Somebody else's app gets the same answer as an unknown one, as does text that cannot be an
 * app's id.
 */
export async function ownApp({ db }: Pick<Service, 'db'>, ownerId: UserId, id: string): Promise<App> {
  const app = APP_ID.test(id) ? await findApp(db, id as AppId) : null;
  if (app?.ownerId !== ownerId) throw new Problem('not-found', 'There is no such app of yours.');
  return app;
}
