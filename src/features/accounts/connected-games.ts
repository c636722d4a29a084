import type { AppId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type App, findApps, holdLivingApps } from '../../identity/apps.ts';
import { parseScopes, type Scope } from '../../identity/callers.ts';
import { grantConsent, listConsents, revokeConsent, revokeConsentsOf } from '../../identity/consents.ts';
import { type ActiveMandate, listMandates, revokeMandate, revokeMandatesOf } from '../../identity/mandates.ts';
import type { User } from '../../identity/users.ts';
import { finishInteraction, type Interaction } from '../../oauth/interactions.ts';
import { deleteGrantsOfUser, deleteRecordsOfClient } from '../../oauth/records.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { appSuspended } from '../../service/stopped.ts';
import { withoutAsking } from '../approvals/confirmation.ts';

/** What one app may do for a person. */
export type Access = {
  readonly app: App;
  /** Null: the app cannot act for them, although it still has a mandate. */
  readonly consent: { readonly scopes: readonly Scope[]; readonly grantedAt: Date } | null;
  readonly mandate: ActiveMandate | null;
};

/** Apps with access or a mandate, in the order of their names. */
export async function listAccess(service: Pick<Service, 'db' | 'settings'>, user: Pick<User, 'id'>): Promise<Access[]> {
  const { db } = service;
  const [consents, mandates] = await Promise.all([listConsents(db, user.id), listMandates(db, user.id)]);
  const consentOf = new Map(consents.map((consent) => [consent.appId, consent]));
  const mandateOf = new Map(
    mandates.map((mandate) => [
      mandate.appId,
      { ...mandate, maxPerTransfer: withoutAsking(service, mandate.maxPerTransfer) },
    ]),
  );
  const ids: AppId[] = [...new Set([...consentOf.keys(), ...mandateOf.keys()])];
  const apps = [...(await findApps(db, ids)).values()];
  return apps
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((app) => ({
      app,
      consent: consentOf.get(app.id) ?? null,
      mandate: mandateOf.get(app.id) ?? null,
    }));
}

/** Whether any app has access or a mandate. */
export async function hasAccess(db: Pick<Service['db'], 'query'>, userId: UserId): Promise<boolean> {
  return (await listConsents(db, userId)).length > 0 || (await listMandates(db, userId)).length > 0;
}

/**
 * Records whether somebody gives an app the access it asked for; returns the address that their browser goes to next.
 * Throws `not-found` if the app was deleted meanwhile, `app-suspended`, and `token-expired`: consent lets the app's server ask the player for quarters, so a session ended in the meantime
 * cannot give it.
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
 * somebody else with access to the account may have given them; each app asks again. Earlier payments stay paid. Throws
 * `token-expired`.
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
