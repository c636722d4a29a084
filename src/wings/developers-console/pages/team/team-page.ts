import { html } from 'hono/html';
import type { AppInvitation } from '../../../../identity/app-invitations.ts';
import type { AppMember } from '../../../../identity/app-members.ts';
import { MEMBER_ROLES, type MemberRole } from '../../../../identity/app-roles.ts';
import { readableEmail } from '../../../../identity/users.ts';
import { appConsolePage, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { badge, consoleForm, consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { mayManage } from '../../../../service/managers.ts';
import { choice, field, hidden } from '../../../../web/fields.ts';
import { icon } from '../../../../web/icons.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import type { Team } from '../../features/members.ts';

/** What a refused invitation leaves on the page. */
export type RefusedInvitation = { readonly email: string; readonly role: MemberRole; readonly error: string };

type View = Team & {
  readonly visitor: Visitor;
  readonly notice?: string | undefined;
  /** The reason for a refusal that concerns no field. */
  readonly refusal?: string | undefined;
  readonly invitation?: RefusedInvitation | undefined;
};

const ROLES: Readonly<Record<MemberRole, { readonly label: string; readonly may: string }>> = {
  admin: { label: 'Admin', may: 'Everything but deleting the app and handing it over. Creates keys.' },
  developer: { label: 'Developer', may: 'Sees everything and manages webhooks.' },
  viewer: { label: 'Viewer', may: 'Sees everything, changes nothing. Nobody sees a key after it was created.' },
};
const ROLE_OPTIONS = MEMBER_ROLES.map((role) => [role, ROLES[role].label] as const);

/** Who manages an app, with forms for those who may change that. */
export function teamPage(view: View): Page {
  const { app, members, owner, notice, refusal } = view;
  const content = html`${notice && html`<p class="notice good" role="status">${notice}</p>`}
${refusal && html`<p class="notice bad" role="alert">${refusal}</p>`}
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

function inviteForm(view: View): Markup {
  const { email = '', role = 'developer', error } = view.invitation ?? {};
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
