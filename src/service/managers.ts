import type { UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import { findMemberRole } from '../identity/app-members.ts';
import { type AppRight, type AppRole, RIGHTS_WHILE_SUSPENDED, roleMay } from '../identity/app-roles.ts';
import { type App, lookUpNamedApp } from '../identity/apps.ts';
import { findUserByEmail } from '../identity/users.ts';
import type { Session } from '../oauth/sessions.ts';
import type { Service } from './service.ts';

/** Manages every app, on the command line. */
export type Operator = { readonly kind: 'operator' };

/** Manages the apps that they own or are a member of, signed in on the developer pages. */
export type Developer = { readonly kind: 'developer'; readonly session: Session };

export type AppManager = Operator | Developer;

export const OPERATOR: Operator = { kind: 'operator' };

export function asDeveloper(session: Session): Developer {
  return { kind: 'developer', session };
}

/** An app, and who its caller is to it. */
export type ManagedApp = App & { readonly role: AppRole | 'operator' };

/** Whether the caller of {@link appFor} may do this too, so that a page offers nothing that is refused. */
export function mayManage({ role, suspendedAt }: Pick<ManagedApp, 'role' | 'suspendedAt'>, right: AppRight): boolean {
  return role === 'operator' || (roleMay(role, right) && !isStopped({ suspendedAt }, right));
}

/** Whether a suspension forbids this to the app's own team. The operator may do everything. */
export function isStopped({ suspendedAt }: Pick<App, 'suspendedAt'>, right: AppRight): boolean {
  return suspendedAt !== null && !RIGHTS_WHILE_SUSPENDED.includes(right);
}

/**
 * An app for a caller who has this right on it. A developer gets the same answer for somebody else's app as for an unknown one. The
 * operator still reads a deleted app. `id` may be unchecked input. Throws `not-found`, `role-not-allowed` for a member without the right,
 * and `app-suspended`. A change checks the right again, as `changeAs` does.
 */
export async function appFor(
  { db }: Pick<Service, 'db'>,
  caller: AppManager,
  id: string,
  right: AppRight,
): Promise<ManagedApp> {
  const app = await lookUpNamedApp(db, id);
  if (caller.kind === 'operator') {
    if (!app || (app.deletedAt && right !== 'read')) throw noSuchApp(id);
    return { ...app, role: 'operator' };
  }
  if (!app || app.deletedAt) throw notYours();
  const { userId } = caller.session;
  const role = app.ownerId === userId ? 'owner' : await findMemberRole(db, app.id, userId);
  const held = requireRight(role, right);
  if (isStopped(app, right)) throw unchangeable();
  return { ...app, role: held };
}

export function requireRight(role: AppRole | null, right: AppRight): AppRole {
  if (role === null) throw notYours();
  if (roleMay(role, right)) return role;
  const whom = roleMay('admin', right) ? 'Ask an admin.' : 'Ask the owner.';
  throw new Problem('role-not-allowed', `Your role is ${role}. ${whom}`);
}

export function unchangeable(): Problem {
  return new Problem('app-suspended', 'The operator has suspended the app, so it cannot be changed.');
}

export function notYours(): Problem {
  return new Problem('not-found', 'There is no such app of yours.');
}

/** Tells an operator that the app they named does not exist, or is deleted. */
export function noSuchApp(id: string): Problem {
  return new Problem('not-found', `There is no app "${id}".`);
}

/** The user who is to own an app, for an operator. */
export async function findOwner({ db }: Pick<Service, 'db'>, email: string): Promise<UserId> {
  const user = await findUserByEmail(db, email);
  if (!user) throw new Problem('not-found', `Nobody has signed up with ${email}.`);
  return user.id;
}
