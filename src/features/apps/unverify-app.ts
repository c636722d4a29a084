import type { AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type App, endVerification } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';

/** Ends an app's verification. Throws `not-found`. */
export async function unverifyApp({ db, security }: Pick<Service, 'db' | 'security'>, id: AppId): Promise<App> {
  const app = await endVerification(db, id);
  if (!app) throw new Problem('not-found', `There is no app "${id}".`);
  security.note('app-unverified', { appId: app.id });
  return app;
}
