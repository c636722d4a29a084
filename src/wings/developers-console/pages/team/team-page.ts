import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { type UserId, userIdFrom } from '../../../../base/ids.ts';
import { type InputFault, invalidInput, type Problem } from '../../../../base/problems.ts';
import type { AppInvitation } from '../../../../identity/app-invitations.ts';
import type { AppMember } from '../../../../identity/app-members.ts';
import { MEMBER_ROLES, type MemberRole, memberRoleOf } from '../../../../identity/app-roles.ts';
import { readableEmail } from '../../../../identity/users.ts';
import { appConsolePage, appIdOf, appPath, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { badge, consoleForm, consoleTime, panel, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { asDeveloper, mayManage } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { choice, field, hidden } from '../../../../web/fields.ts';
import { icon } from '../../../../web/icons.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { reasonText } from '../../../../words/words.ts';
import { answerInvitation, inviteMember, withdrawInvitation } from '../../features/invitations.ts';
import { changeRole, handOver, leaveTeam, removeMember, showTeam, type Team } from '../../features/members.ts';
import { addFormPage, type FormOutcome } from '../page-forms.ts';

/** GET /developer/apps/{id}/team shows who manages an app; …/invite, …/role and so on do what they say, and …/leave ends one's own part. */
export function teamRoutes(visitors: SignedInRoutes, service: Service): void {
  addFormPage<RefusedForm>(visitors, service, {
    path: '/developer/apps/:id/team',
    at: (request) => `${appPath(request)}/team`,
    show: sendTeam,
    refusal: refusalOf,
    forms: {
      invite: {
        action: 'invite somebody to your team',
        notice: 'Invitation sent.',
        act: ({ by, appId, body }) => inviteMember(service, by, appId, { email: emailIn(body), role: roleOf(body) }),
      },
      withdraw: {
        action: 'withdraw an invitation',
        notice: 'Invitation withdrawn.',
        fresh: false,
        act: ({ by, appId, body }) => withdrawInvitation(service, by, appId, emailIn(body)),
      },
      role: {
        action: 'change the role of a member',
        notice: 'Role changed.',
        act: ({ by, appId, body }) => changeRole(service, by, appId, memberOf(body), roleOf(body)),
      },
      remove: {
        action: 'remove a member of your team',
        notice: 'Member removed.',
        act: ({ by, appId, body }) => removeMember(service, by, appId, memberOf(body)),
      },
      'hand-over': {
        action: 'hand the app over',
        notice: 'The app has a new owner. You are an admin now.',
        act: ({ by, appId, body }) => handOver(service, by, appId, memberOf(body)),
      },
      leave: {
        action: 'leave a team',
        fresh: false,
        async act({ by, appId }) {
          await leaveTeam(service, by, appId);
          return '/developer';
        },
      },
    },
  });
}

/** POST /developer/invitations/join and …/decline answer an invitation to a team. */
export function invitationRoutes(visitors: SignedInRoutes, service: Service): void {
  for (const answer of ['join', 'decline'] as const) {
    visitors.post(
      `/developer/invitations/${answer}`,
      { action: `${answer === 'join' ? 'join' : 'decline an invitation to'} a team` },
      async (request, reply, { session }) => {
        const appId = parameter(request.body, 'app') ?? '';
        await answerInvitation(service, session, appId, answer);
        return reply.redirect(answer === 'join' ? `/developer/apps/${encodeURIComponent(appId)}` : '/developer', 303);
      },
    );
  }
}

async function sendTeam(service: Service, reply: FastifyReply, visitor: Visitor, outcome: FormOutcome<RefusedForm>) {
  const team = await showTeam(service, asDeveloper(visitor.session), appIdOf(reply.request));
  return sendConsolePage(reply, teamPage({ ...team, visitor, ...outcome }));
}

function refusalOf({ code, message, faults }: Problem, body: unknown): FormOutcome<RefusedForm> | null {
  const fault = faults.find(({ pointer }) => pointer === '/email');
  if (fault) return { refused: { email: emailIn(body), role: roleOf(body), error: sentence(fault) } };
  return code === 'limit-reached' || code === 'too-many-tries' ? { refused: { reason: message } } : null;
}

/** The detail of a fault without a reason completes "This address …". */
function sentence({ reason, detail }: InputFault): string {
  return reason ? reasonText(en, reason) : `This address ${detail}.`;
}

const emailIn = (body: unknown): string => parameter(body, 'email') ?? '';

/** Text that cannot be an id names nobody. */
function memberOf(body: unknown): UserId {
  return userIdFrom(parameter(body, 'member') ?? '') ?? ('' as UserId);
}

function roleOf(body: unknown): MemberRole {
  const role = memberRoleOf(parameter(body, 'role'));
  if (!role) throw invalidInput('/role', 'must be admin, developer or viewer');
  return role;
}

/** What a refused form leaves on the page: an invitation, or a reason that concerns no field. */
type RefusedForm =
  | { readonly email: string; readonly role: MemberRole; readonly error: string; readonly reason?: never }
  | { readonly reason: string };

type View = Team & FormOutcome<RefusedForm> & { readonly visitor: Visitor };

const ROLES: Readonly<Record<MemberRole, { readonly label: string; readonly may: string }>> = {
  admin: { label: 'Admin', may: 'Everything but deleting the app and handing it over. Creates keys.' },
  developer: { label: 'Developer', may: 'Sees everything and manages webhooks.' },
  viewer: { label: 'Viewer', may: 'Sees everything, changes nothing. Nobody sees a key after it was created.' },
};
const ROLE_OPTIONS = MEMBER_ROLES.map((role) => [role, ROLES[role].label] as const);

/** Who manages an app, with forms for those who may change that. */
function teamPage(view: View): Page {
  const { app, members, owner, notice, refused } = view;
  const content = html`${notice && html`<p class="notice good" role="status">${notice}</p>`}
${refused?.reason && html`<p class="notice bad" role="alert">${refused.reason}</p>`}
${panel('Members', html`<ul class="rows">${ownerRow(view, owner)}${members.map((member) => memberRow(view, member))}</ul>`)}
${mayManage(app, 'team') && panel('Invite somebody', inviteForm(view))}
${view.invitations.length > 0 && panel('Open invitations', html`<ul class="rows">${view.invitations.map((invitation) => invitationRow(view, invitation))}</ul>`)}
${panel('Roles', roleList(app))}`;
  return appConsolePage(app, 'team', { title: 'Team', content });
}

function roleList({ id }: View['app']): Markup {
  return html`<dl>
<div><dt>Owner</dt><dd>Everything. An app has one owner.</dd></div>
${MEMBER_ROLES.map((role) => html`<div><dt>${ROLES[role].label}</dt><dd>${ROLES[role].may}</dd></div>`)}
</dl>
<p class="hint">Nobody pays out here: <a href="${pathOfApp(id)}/keys">server keys</a> do, each within its daily limit. The owner and admins create them.</p>`;
}

function teamPath({ app }: View): string {
  return `${pathOfApp(app.id)}/team`;
}

function form(view: View, verb: string, content: Markup): Markup {
  return consoleForm(view.visitor, `${teamPath(view)}/${verb}`, teamPath(view), content);
}

function ownerRow({ visitor }: View, owner: Team['owner']): Markup {
  if (!owner) return html`<li><div><strong>The operator</strong></div>${badge('Owner')}</li>`;
  return html`<li>${person(owner, owner.userId === visitor.user.id)}${badge('Owner')}</li>`;
}

function person({ displayName, email }: Pick<AppMember, 'displayName' | 'email'>, isYou: boolean): Markup {
  return html`<div><strong><bdi>${displayName}</bdi></strong>${isYou && ' (you)'}
<p class="hint"><bdi>${readableEmail(email)}</bdi></p></div>`;
}

function memberRow(view: View, member: AppMember): Markup {
  const { app, visitor } = view;
  const isYou = member.userId === visitor.user.id;
  const changes = html`${mayManage(app, 'team') && roleForm(view, member)}${mayManage(app, 'delete') && member.role === 'admin' && ownerForm(view, member)}${isYou ? leaveForm(view) : mayManage(app, 'team') && removeForm(view, member)}`;
  return html`<li>${person(member, isYou)}${badge(ROLES[member.role].label)}
${
  (isYou || mayManage(app, 'team')) &&
  html`<details class="more">
<summary aria-label="Change ${member.displayName}…">${isYou && !mayManage(app, 'team') ? 'Leave…' : 'Change…'}</summary>
${changes}
</details>`
}</li>`;
}

function roleForm(view: View, { userId, role }: AppMember): Markup {
  const options = choice({ name: 'role', id: `role-${userId}`, label: 'Role', value: role, options: ROLE_OPTIONS });
  return form(view, 'role', html`${hidden('member', userId)}${options}<button class="small">Save role</button>`);
}

function removeForm(view: View, { userId, displayName }: AppMember): Markup {
  const button = html`<button class="small" aria-label="Remove ${displayName}">Remove</button>`;
  return form(view, 'remove', html`${hidden('member', userId)}${button}`);
}

function ownerForm(view: View, { userId, displayName }: AppMember): Markup {
  const button = html`<button class="small" aria-label="Make owner: ${displayName}">Make owner</button>`;
  const hint = html`<p class="hint">You become an admin. Only the new owner can undo this.</p>`;
  return form(view, 'hand-over', html`${hidden('member', userId)}${hint}${button}`);
}

function leaveForm(view: View): Markup {
  return form(
    view,
    'leave',
    html`<p class="hint">You need a new invitation to come back.</p>
<button class="small">Leave the team</button>`,
  );
}

const NO_INVITATION = { email: '', role: 'developer', error: undefined } as const;

function inviteForm(view: View): Markup {
  const { refused } = view;
  const { email, role, error } = refused && 'email' in refused ? refused : NO_INVITATION;
  return form(
    view,
    'invite',
    html`${field({
      name: 'email',
      label: 'E-mail address',
      type: 'email',
      autocomplete: 'off',
      value: email,
      maxlength: 254,
      hint: 'We send an invitation there. They join in their console, signed in with this address.',
      error,
    })}
${choice({ name: 'role', label: 'Role', value: role, options: ROLE_OPTIONS })}
<button class="primary">Send invitation</button>`,
  );
}

function invitationRow(view: View, { email, role, expiresAt, mailRefused }: AppInvitation): Markup {
  return html`<li><div><strong><bdi>${readableEmail(email)}</bdi></strong>
<p class="hint">${ROLES[role].label}, expires on ${consoleTime(expiresAt)}</p>
${mailRefused && html`<p class="error">${icon('alert')}<span>We couldn’t deliver the e-mail. Check the address.</span></p>`}</div>
${form(view, 'withdraw', html`${hidden('email', email)}<button class="small" aria-label="Withdraw the invitation of ${readableEmail(email)}">Withdraw</button>`)}</li>`;
}
