import type { AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { looksLike } from '../../identity/app-name.ts';
import { type App, endVerification, readApps, storeVerified } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * Marks an app as verified after the operator has checked who is behind it. Its page shows that, and nobody can
 * register a name that looks like its name. `alike`: apps that already have such a name. Throws `not-found`.
 */
export async function verifyApp(
  { db, security }: Pick<Service, 'db' | 'security'>,
  id: AppId,
): Promise<{ readonly app: App; readonly alike: readonly App[] }> {
  const app = await storeVerified(db, id);
  if (!app) throw new Problem('not-found', `There is no app "${id}".`);
  security.note('app-verified', { appId: app.id });
  const alike = (await readApps(db)).filter((other) => other.id !== app.id && looksLike(other.name, app.name));
  return { app, alike };
}

/** Ends an app's verification. Throws `not-found`. */
export async function unverifyApp({ db, security }: Pick<Service, 'db' | 'security'>, id: AppId): Promise<App> {
  const app = await endVerification(db, id);
  if (!app) throw new Problem('not-found', `There is no app "${id}".`);
  security.note('app-unverified', { appId: app.id });
  return app;
}
