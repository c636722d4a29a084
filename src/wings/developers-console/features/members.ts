import type { AppId, UserId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import type { Tx } from '../../../db/database.ts';
import { MAX_APPS } from '../../../features/apps/create-app.ts';
import { type AppInvitation, deleteInvitationsBy, listInvitations } from '../../../identity/app-invitations.ts';
import {
  type AppMember,
  deleteMember,
  findMemberRole,
  insertMember,
  listMembers,
  storeMemberRole,
} from '../../../identity/app-members.ts';
import { type MemberRole, roleMay } from '../../../identity/app-roles.ts';
import { lockAppCount, storeOwner } from '../../../identity/apps.ts';
import { findUser, lockUsers } from '../../../identity/users.ts';
import { recordChange } from '../../../operator-log/record.ts';
import { changeAs } from '../../../service/change-as.ts';
import { appFor, type Developer, type ManagedApp, mayManage } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';

type Deps = Pick<Service, 'db' | 'security'>;

export type Team = {
  readonly app: ManagedApp;
  /** Null if the operator registered the app. */
  readonly owner: Pick<AppMember, 'userId' | 'displayName' | 'email'> | null;
  readonly members: readonly AppMember[];
  /** Only for those who may change the team. */
  readonly invitations: readonly AppInvitation[];
};

/** Who manages an app. */
export async function showTeam({ db }: Pick<Service, 'db'>, developer: Developer, id: string): Promise<Team> {
  const app = await appFor({ db }, developer, id, 'read');
  const [owner, members, invitations] = await Promise.all([
    app.ownerId && findUser(db, app.ownerId),
    listMembers(db, app.id),
    mayManage(app, 'team') ? listInvitations(db, app.id) : [],
  ]);
  return { app, owner: owner && { ...owner, userId: owner.id }, members, invitations };
}

/** Changes the role of a member. */
export async function changeRole(
  service: Deps,
  developer: Developer,
  id: string,
  userId: UserId,
  role: MemberRole,
): Promise<void> {
  const app = await appFor(service, developer, id, 'team');
  await changeAs(service, developer, app, 'team', async (tx) => {
    const before = await findMemberRole(tx, app.id, userId);
    if (!(await storeMemberRole(tx, app.id, userId, role))) throw noSuchMember();
    await record(tx, app.id, userId, before, role);
    if (!roleMay(role, 'team')) await deleteInvitationsBy(tx, app.id, userId);
  });
  service.security.note('team-changed', { appId: app.id, what: `role ${userId} ${role}` });
}

/** Removes a member, with the invitations they sent. */
export async function removeMember(service: Deps, developer: Developer, id: string, userId: UserId): Promise<void> {
  const app = await appFor(service, developer, id, 'team');
  await changeAs(service, developer, app, 'team', (tx) => endMembership(tx, app.id, userId));
  service.security.note('team-changed', { appId: app.id, what: `remove ${userId}` });
}

/** A member leaves. The owner cannot, and hands the app over first. */
export async function leaveTeam(service: Deps, developer: Developer, id: string): Promise<void> {
  const { userId } = developer.session;
  const app = await appFor(service, developer, id, 'read');
  await changeAs(service, developer, app, 'read', (tx) => endMembership(tx, app.id, userId));
  service.security.note('team-changed', { appId: app.id, what: 'leave' });
}

/**
 * The owner makes an admin the owner, and becomes an admin. Of two handovers at once, the second is refused, because its caller is the
 * owner no more. Throws `limit-reached` if the admin owns as many apps as allowed.
 */
export async function handOver(service: Deps, developer: Developer, id: string, heir: UserId): Promise<void> {
  const { userId } = developer.session;
  // Only the owner may delete an app, and give it away.
  const app = await appFor(service, developer, id, 'delete');
  await changeAs(service, developer, app, 'delete', async (tx) => {
    // Neither of them can close their account meanwhile.
    await lockUsers(tx, [userId, heir]);
    const owned = await lockAppCount(tx, heir);
    const isAdmin = (await listMembers(tx, app.id)).some((member) => member.userId === heir && member.role === 'admin');
    if (owned === null || !isAdmin) throw noSuchMember();
    if (owned >= MAX_APPS) throw new Problem('limit-reached', `This admin already owns ${MAX_APPS} apps.`);
    await deleteMember(tx, app.id, heir);
    await storeOwner(tx, app.id, heir);
    await insertMember(tx, app.id, userId, 'admin');
    const [before, after] = [{ owner: { user: userId } }, { owner: { user: heir } }];
    await recordChange(tx, { action: 'app-handed-over', subject: { kind: 'app', id: app.id }, before, after });
  });
  service.security.note('app-handed-over', { appId: app.id, what: heir });
}

async function endMembership(tx: Tx, appId: AppId, userId: UserId): Promise<void> {
  const role = await findMemberRole(tx, appId, userId);
  if (!(await deleteMember(tx, appId, userId))) throw noSuchMember();
  await deleteInvitationsBy(tx, appId, userId);
  await record(tx, appId, userId, role, null);
}

/** Records a role. Null: none. */
function record(tx: Tx, id: AppId, user: UserId, before: MemberRole | null, after: MemberRole | null): Promise<void> {
  const member = { user };
  return recordChange(tx, {
    action: 'team-changed',
    subject: { kind: 'app', id },
    before: { member, role: before },
    after: { member, role: after },
  });
}

function noSuchMember(): Problem {
  return new Problem('not-found', 'There is no such member.');
}
