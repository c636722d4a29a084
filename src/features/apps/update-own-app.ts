import { type AppDetails, storeDetails } from '../../identity/apps.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedDetails, refuseImitation } from './app-details.ts';
import { ownApp } from './own-app.ts';

/**
 * A developer changes an app's details; a new name ends its verification. Throws `not-found`, `invalid-input`,
 * `token-expired`.
 */
export async function updateApp(
  { db, security }: Service,
  session: Session,
  id: string,
  details: AppDetails,
): Promise<void> {
  const app = await ownApp({ db }, session.userId, id);
  const checked = checkedDetails(details);
  if (checked.name !== app.name) await refuseImitation({ db }, app.id, checked.name);
  await db.transaction(async (tx) => {
    await storeDetails(tx, app.id, checked, 'developer');
    await holdSession(tx, session);
  });
  security.note('app-changed', { appId: app.id, what: 'details' });
}
