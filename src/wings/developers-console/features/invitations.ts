import { appIdFrom } from '../../../base/ids.ts';
import { invalidInput, Problem, refusedEntry } from '../../../base/problems.ts';
import { countAttempt } from '../../../features/attempts/throttle.ts';
import type { WriteMail } from '../../../features/mails/mail-layout.ts';
import { queueMail } from '../../../features/mails/mails.ts';
import { nameInMail } from '../../../features/mails/name-in-mail.ts';
import {
  INVITATION_DAYS,
  listInvitationsTo,
  type ReceivedInvitation,
  storeInvitation,
  takeInvitation,
} from '../../../identity/app-invitations.ts';
import { insertMember, listMembers } from '../../../identity/app-members.ts';
import type { MemberRole } from '../../../identity/app-roles.ts';
import { lockApp } from '../../../identity/apps.ts';
import { emailFault, findUser, foldEmail, lockUsers, normaliseEmail, type User } from '../../../identity/users.ts';
import { holdSession, type Session } from '../../../oauth/sessions.ts';
import { recordChange } from '../../../operator-log/record.ts';
import { changeAs } from '../../../service/change-as.ts';
import { appFor, type Developer } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';

type Deps = Pick<Service, 'db' | 'security' | 'vault' | 'settings' | 'languages' | 'publicUrl'>;

const A_DAY = 24 * 60;

/**
 * Invites whoever has an e-mail address, and sends a mail there. It says the same whether the address has an account. A second invitation
 * replaces the first.
 */
export async function inviteMember(
  service: Deps,
  developer: Developer,
  id: string,
  wanted: { readonly email: string; readonly role: MemberRole },
): Promise<void> {
  const app = await appFor(service, developer, id, 'team');
  const email = normaliseEmail(wanted.email);
  const fault = emailFault(email);
  if (fault) throw refusedEntry(['/email', fault]);
  const { userId } = developer.session;
  // Strangers get these mails: neither one person nor many may fill a mailbox with them.
  await countAttempt(service, 'invite', [
    { key: `user ${userId}`, most: 50, minutes: A_DAY },
    { key: `email ${foldEmail(email)}`, most: 10, minutes: A_DAY },
  ]);
  await changeAs(service, developer, app, 'team', async (tx) => {
    const [inviter, owner, members] = await Promise.all([
      findUser(tx, userId),
      app.ownerId && findUser(tx, app.ownerId),
      listMembers(tx, app.id),
    ]);
    // The team sees the addresses of its members, so this tells nothing new.
    if ([owner, ...members].some((member) => member && foldEmail(member.email) === foldEmail(email))) {
      throw invalidInput('/email', 'belongs to a member of the team');
    }
    await storeInvitation(tx, { appId: app.id, email, role: wanted.role, invitedBy: userId });
    // Without the address, which may be nobody's account.
    const after = { invitation: wanted.role };
    await recordChange(tx, { action: 'team-changed', subject: { kind: 'app', id: app.id }, after });
    const write = invitationMail(service, inviter!.email, app.name, wanted.role);
    await queueMail(service, tx, { to: email, invitedTo: app.id, write });
  });
  service.security.note('team-changed', { appId: app.id, what: `invite ${wanted.role}` });
}

function invitationMail(
  { publicUrl, settings }: Pick<Service, 'publicUrl' | 'settings'>,
  inviter: string,
  appName: string,
  role: MemberRole,
): WriteMail {
  const name = nameInMail(appName);
  return ({ mails: { invitation: says, ignore } }) => ({
    subject: says.subject(name),
    parts: [
      says.invited(inviter, name, role, settings.brandName),
      says.join,
      { link: `${publicUrl}/developer`, label: says.link },
      `${says.expires(INVITATION_DAYS)} ${ignore}`,
    ],
  });
}

/** Withdraws an invitation. */
export async function withdrawInvitation(
  service: Pick<Service, 'db' | 'security'>,
  developer: Developer,
  id: string,
  email: string,
): Promise<void> {
  const app = await appFor(service, developer, id, 'team');
  if (emailFault(email)) throw noSuchInvitation();
  await changeAs(service, developer, app, 'team', async (tx) => {
    const role = await takeInvitation(tx, app.id, email);
    if (!role) throw noSuchInvitation();
    const [before, after] = [{ invitation: role }, { invitation: null }];
    await recordChange(tx, { action: 'team-changed', subject: { kind: 'app', id: app.id }, before, after });
  });
  service.security.note('team-changed', { appId: app.id, what: 'withdraw' });
}

/** The open invitations to a user's verified address. */
export async function receivedInvitations(
  { db }: Pick<Service, 'db'>,
  { email, emailVerified }: Pick<User, 'email' | 'emailVerified'>,
): Promise<ReceivedInvitation[]> {
  return email && emailVerified ? listInvitationsTo(db, email) : [];
}

/**
 * Joins the team of an app, or declines. Only the user who has the invited address now, verified, can. Throws `not-found` if there is no
 * such invitation, or it has expired or was withdrawn. `appId`: may be unchecked input.
 */
export async function answerInvitation(
  { db, security }: Pick<Service, 'db' | 'security'>,
  session: Session,
  named: string,
  answer: 'join' | 'decline',
): Promise<void> {
  const appId = appIdFrom(named);
  if (!appId) throw noSuchInvitation();
  await db.transaction(async (tx) => {
    const app = await lockApp(tx, appId);
    // Held, so that closing the account ends this membership too, and the address stays theirs.
    await lockUsers(tx, [session.userId]);
    const user = await findUser(tx, session.userId);
    const role = app && user?.emailVerified ? await takeInvitation(tx, appId, user.email) : null;
    if (!role) throw noSuchInvitation();
    if (answer === 'join' && app?.ownerId !== session.userId) await insertMember(tx, appId, session.userId, role);
    const after = { member: { user: session.userId }, role: answer === 'join' ? role : null };
    const before = { invitation: role };
    const subject = { kind: 'app', id: appId } as const;
    await recordChange(tx, { action: 'team-changed', subject, before, after, by: session.userId });
    await holdSession(tx, session);
  });
  security.note('team-changed', { appId, what: answer });
}

function noSuchInvitation(): Problem {
  return new Problem('not-found', 'There is no such invitation.');
}
