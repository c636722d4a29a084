import type { Tx } from '../db/database.ts';
import { findMemberRole } from '../identity/app-members.ts';
import type { AppRight } from '../identity/app-roles.ts';
import { type App, lockApp } from '../identity/apps.ts';
import { holdSession } from '../oauth/sessions.ts';
import { countChange } from './count-change.ts';
import { type AppManager, isStopped, noSuchApp, notYours, requireRight, unchangeable } from './managers.ts';
import type { Service } from './service.ts';

/**
 * Makes a change to an app in one transaction, which begins by locking the app and checking the caller's right. So what a member may do
 * ends with the COMMIT that takes the right away: a change that is under way then comes before it, or is refused. The session of a
 * developer is checked last: if it has ended, nothing is changed.
 */
export function changeAs<T>(
  { db }: Pick<Service, 'db'>,
  caller: AppManager,
  { id }: Pick<App, 'id'>,
  right: AppRight,
  change: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const app = await lockApp(tx, id);
    if (caller.kind === 'operator') {
      if (!app) throw noSuchApp(id);
      return change(tx);
    }
    if (!app) throw notYours();
    const { userId } = caller.session;
    requireRight(app.ownerId === userId ? 'owner' : await findMemberRole(tx, id, userId), right);
    if (isStopped(app, right)) throw unchangeable();
    await countChange(tx, userId, 'too-many-tries');
    const result = await change(tx);
    await holdSession(tx, caller.session);
    return result;
  });
}
