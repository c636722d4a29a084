import type { AppId } from '../../base/ids.ts';
import { storeAutoApprovalRequest } from '../../identity/app-auto-approval.ts';
import { holdLivingApps, lookUpLivingApp } from '../../identity/apps.ts';
import { grantMandatesToApprovers } from '../../identity/mandates.ts';
import { listUserIds } from '../../identity/users.ts';
import { findApprovers } from '../../requests/transitions.ts';
import { changeAs } from '../../service/change-as.ts';
import { appFor, type Developer, noSuchApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { mandateOffer } from '../../views/approvals/confirmation.ts';
import { limitNotice } from '../approvals/limit-notice.ts';
import { queueMail } from '../mails/mails.ts';

const CHUNK = 500;

type MandateDeps = Pick<Service, 'db' | 'vault' | 'settings' | 'languages' | 'publicUrl' | 'security'>;

/**
 * Grants a mandate to those who approved a request of the app before it was enabled, and informs them by mail. If interrupted, it can be
 * run again and continues. Returns how many users got one. Throws `not-found` if the app is deleted, or not enabled any more.
 */
export async function grantToApprovers(service: MandateDeps, id: AppId): Promise<{ granted: number }> {
  const { db } = service;
  const app = await lookUpLivingApp(db, id);
  if (!app?.autoApproveSince) throw noSuchApp(id);
  const offer = mandateOffer(service, app);
  let granted = 0;
  for (let after = ''; ; ) {
    const users = await listUserIds(db, after, CHUNK);
    const approvals = await findApprovers(db, { appId: id, before: app.autoApproveSince, users });
    // The mandate and its mail share one transaction, so everybody is informed exactly once.
    granted += await db.transaction(async (tx) => {
      if (!(await holdLivingApps(tx, [id])).has(id)) throw noSuchApp(id);
      const given = await grantMandatesToApprovers(tx, { appId: id, approvals, ...offer });
      for (const user of given) if (user.email) await queueMail(service, tx, limitNotice(service, app, user, offer));
      return given.length;
    });
    if (users.length < CHUNK) return { granted };
    after = users.at(-1)!;
  }
}

/** A developer asks the operator to enable auto approval for an app. */
export async function requestAutoApproval(
  service: Pick<Service, 'db'>,
  developer: Developer,
  id: string,
): Promise<void> {
  const app = await appFor(service, developer, id, 'configure');
  await changeAs(service, developer, app, 'configure', (tx) => storeAutoApprovalRequest(tx, app.id));
}
