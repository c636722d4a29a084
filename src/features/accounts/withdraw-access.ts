import type { AppId, UserId } from '../../base/ids.ts';
import { revokeConsent } from '../../identity/consents.ts';
import { revokeStandingApproval } from '../../identity/mandates.ts';
import { deleteRecordsOfClient } from '../../oauth/records.ts';
import type { Service } from '../../settlement/service.ts';

/** Ends everything that an app may do for a person, at once: its tokens are no longer valid. */
export async function withdrawAccess(
  { db, security }: Pick<Service, 'db' | 'security'>,
  userId: UserId,
  appId: AppId,
): Promise<void> {
  await db.transaction(async (tx) => {
    await revokeStandingApproval(tx, userId, appId);
    await revokeConsent(tx, userId, appId);
    await deleteRecordsOfClient(tx, userId, appId);
  });
  security.note('access-withdrawn', { userId, appId, what: 'all' });
}

/** From now on the app asks again; earlier payments stay paid. */
export async function withdrawStandingApproval(
  { db, security }: Pick<Service, 'db' | 'security'>,
  userId: UserId,
  appId: AppId,
): Promise<void> {
  await revokeStandingApproval(db, userId, appId);
  security.note('access-withdrawn', { userId, appId, what: 'standing' });
}
