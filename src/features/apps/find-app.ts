import type { AppId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type App, findApp } from '../../identity/apps.ts';
import { findUserByEmail } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';

/** Any app. Throws `not-found`. */
export async function requireApp({ db }: Pick<Service, 'db'>, id: AppId): Promise<App> {
  const app = await findApp(db, id);
  if (!app) throw new Problem('not-found', `There is no app "${id}".`);
  return app;
}

/** The user who is to own an app. Throws `not-found`. */
export async function findOwner({ db }: Pick<Service, 'db'>, email: string): Promise<UserId> {
  const user = await findUserByEmail(db, email);
  if (!user) throw new Problem('not-found', `Nobody has signed up with ${email}.`);
  return user.id;
}
