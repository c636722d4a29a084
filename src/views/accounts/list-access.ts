import type { AppId, UserId } from '../../base/ids.ts';
import { type App, findApps } from '../../identity/apps.ts';
import type { Scope } from '../../identity/callers.ts';
import { listConsents } from '../../identity/consents.ts';
import { type ActiveMandate, listMandates } from '../../identity/mandates.ts';
import type { User } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
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
