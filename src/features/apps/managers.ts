import type { AppId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { type App, lookUpApp } from '../../identity/apps.ts';
import { findUserByEmail } from '../../identity/users.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';

/** Manages every app, on the command line. */
export type Operator = { readonly kind: 'operator' };

/** Manages the apps that they own, signed in on the developer page. */
export type Developer = { readonly kind: 'developer'; readonly session: Session };

export type AppManager = Operator | Developer;

export const OPERATOR: Operator = { kind: 'operator' };

export function asDeveloper(session: Session): Developer {
  return { kind: 'developer', session };
}

/**
 * An app that the caller manages. A developer gets the same answer for somebody else's app as for an unknown one. `id`
 * may be unchecked input. Throws `not-found`.
 */
export async function appFor({ db }: Pick<Service, 'db'>, caller: AppManager, id: string): Promise<App> {
  const app = await lookUpApp(db, id as AppId);
  if (caller.kind === 'operator') {
    if (!app) throw noSuchApp(id);
    return app;
  }
  if (app?.ownerId !== caller.session.userId) throw new Problem('not-found', 'There is no such app of yours.');
  return app;
}

/** Tells an operator that the app they named does not exist. */
export function noSuchApp(id: string): Problem {
  return new Problem('not-found', `There is no app "${id}".`);
}

/**
 * Makes a change in one transaction. The session of a developer is checked last: if it has ended, nothing is changed.
 * Throws `token-expired`.
 */
export function changeAs<T>(
  { db }: Pick<Service, 'db'>,
  caller: AppManager,
  change: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const result = await change(tx);
    if (caller.kind === 'developer') await holdSession(tx, caller.session);
    return result;
  });
}

/** The user who is to own an app, for an operator. Throws `not-found`. */
export async function findOwner({ db }: Pick<Service, 'db'>, email: string): Promise<UserId> {
  const user = await findUserByEmail(db, email);
  if (!user) throw new Problem('not-found', `Nobody has signed up with ${email}.`);
  return user.id;
}
