import type { AppId, UserId } from '../../base/ids.ts';
import { type App, findApps } from '../../identity/apps.ts';
import { listConsents } from '../../identity/consents.ts';
import { type LivingApproval, listStandingApprovals } from '../../identity/mandates.ts';
import type { Scope } from '../../identity/scopes.ts';
import type { User } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';
import { withoutAsking } from '../approvals/confirmation.ts';

/** What one app may do for a person. */
export type Access = {
  readonly app: App;
  /** Null: the app cannot act for them, although it still has a mandate. */
  readonly consent: { readonly scopes: readonly Scope[]; readonly grantedAt: Date } | null;
  readonly standing: LivingApproval | null;
};

/** Apps with access or a mandate, in the order of their names. */
export async function listAccess(service: Pick<Service, 'db' | 'settings'>, user: Pick<User, 'id'>): Promise<Access[]> {
  const { db } = service;
  const [consents, approvals] = await Promise.all([listConsents(db, user.id), listStandingApprovals(db, user.id)]);
  const consentOf = new Map(consents.map((consent) => [consent.appId, consent]));
  const standingOf = new Map(
    approvals.map((approval) => [
      approval.appId,
      { ...approval, maxPerTransfer: withoutAsking(service, approval.maxPerTransfer) },
    ]),
  );
  const ids: AppId[] = [...new Set([...consentOf.keys(), ...standingOf.keys()])];
  const apps = [...(await findApps(db, ids)).values()];
  return apps
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((app) => ({
      app,
      consent: consentOf.get(app.id) ?? null,
      standing: standingOf.get(app.id) ?? null,
    }));
}

/** Whether any app has access or a mandate. */
export async function hasAccess(db: Pick<Service['db'], 'query'>, userId: UserId): Promise<boolean> {
  return (await listConsents(db, userId)).length > 0 || (await listStandingApprovals(db, userId)).length > 0;
}
