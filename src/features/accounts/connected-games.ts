import type { AppId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { holdLivingApps } from '../../identity/apps.ts';
import { parseScopes } from '../../identity/callers.ts';
import { grantConsent, revokeConsent, revokeConsentsOf } from '../../identity/consents.ts';
import { revokeMandate, revokeMandatesOf } from '../../identity/mandates.ts';
import { finishInteraction, type Interaction } from '../../oauth/interactions.ts';
import { deleteGrantsOfUser, deleteRecordsOfClient } from '../../oauth/records.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { appSuspended } from '../../service/stopped.ts';

/**
 * Records whether somebody gives an app the access it asked for; returns the address that their browser goes to next.
 * A session that ended in the meantime cannot give it, because consent lets the app's server ask the player for quarters.
 */
export async function answerConsent(
  { db, security, settings }: Pick<Service, 'db' | 'security' | 'settings'>,
  session: Session,
  { uid, appId, params }: Interaction,
  allowed: boolean,
): Promise<string> {
  if (!allowed) {
    const description = 'the user has not agreed';
    return finishInteraction(db, uid, session, { error: 'access_denied', description });
  }
  const { userId } = session;
  const next = await db.transaction(async (tx) => {
    const app = (await holdLivingApps(tx, [appId])).get(appId);
    if (!app) throw new Problem('not-found', 'There is no such app.');
    if (app.suspendedAt) throw appSuspended(settings);
    await grantConsent(tx, { userId, appId, scopes: parseScopes(params.scope ?? '') });
    await holdSession(tx, session);
    return finishInteraction(tx, uid, session, { agreed: true });
  });
  security.note('access-granted', { userId, appId });
  return next;
}

/** Ends everything that an app may do for a person, at once: its tokens are no longer valid. */
export async function withdrawAccess(
  { db, security }: Pick<Service, 'db' | 'security'>,
  userId: UserId,
  appId: AppId,
): Promise<void> {
  await db.transaction(async (tx) => {
    await revokeMandate(tx, userId, appId);
    await revokeConsent(tx, userId, appId);
    await deleteRecordsOfClient(tx, userId, appId);
  });
  security.note('access-withdrawn', { userId, appId, what: 'all' });
}

/** From now on the app asks again; earlier payments stay paid. */
export async function withdrawMandate(
  { db, security }: Pick<Service, 'db' | 'security'>,
  userId: UserId,
  appId: AppId,
): Promise<void> {
  await revokeMandate(db, userId, appId);
  security.note('access-withdrawn', { userId, appId, what: 'standing' });
}

/**
 * Ends everything that apps may do for a person at once: mandates, consents, codes and tokens. Consents too, because
 * somebody else with access to the account may have given them; each app asks again. Earlier payments stay paid.
 */
export async function signOutOfGames(
  { db, security }: Pick<Service, 'db' | 'security'>,
  session: Session,
): Promise<void> {
  const { userId } = session;
  await db.transaction(async (tx) => {
    await revokeMandatesOf(tx, userId, true);
    await revokeConsentsOf(tx, userId);
    await deleteGrantsOfUser(tx, userId);
    await holdSession(tx, session);
  });
  security.note('games-signed-out', { userId });
}
