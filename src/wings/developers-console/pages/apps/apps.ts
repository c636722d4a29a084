import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { Problem } from '../../../../base/problems.ts';
import { asQuarters } from '../../../../base/quarters.ts';
import { basesOf } from '../../../../config/bases.ts';
import { type CreatedApp, createApp } from '../../../../features/apps/create-app.ts';
import { TEST_QUARTERS } from '../../../../features/apps/test-quarters.ts';
import type { ReceivedInvitation } from '../../../../identity/app-invitations.ts';
import type { AppDetails } from '../../../../identity/apps.ts';
import { pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { badge, consoleForm, consolePage, consoleTime, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { picturePath } from '../../../../views/apps/picture-path.ts';
import { type ListedApp, listApps } from '../../../../views/apps/show-app.ts';
import { documentsLink } from '../../../../web/documents-link.ts';
import { hidden } from '../../../../web/fields.ts';
import { icon } from '../../../../web/icons.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { receivedInvitations } from '../../features/invitations.ts';
import { type NewSecret, secretsPage } from '../keys/secrets-page.ts';
import { quartersHint } from '../quarters-hint.ts';
import { type DetailErrors, detailErrors, detailFields, NO_DETAILS, readDetails } from '../settings/app-form.ts';

/** GET /developer lists a developer's apps, /developer/apps/new registers one. */
export function appsRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get('/developer', async (request, reply, visitor) => {
    const [apps, invitations] = await Promise.all([
      listApps(service, asDeveloper(visitor.session)),
      receivedInvitations(service, visitor.user),
    ]);
    const deleted = parameter(request.query, 'deleted') === 'true';
    return sendConsolePage(reply, appsPage(service, { apps, invitations, visitor, deleted }));
  });

  visitors.get('/developer/apps/new', async (_request, reply, { csrf }) =>
    sendConsolePage(reply, newAppPage(service, { csrf, details: NO_DETAILS, publicClient: false, errors: {} })),
  );
  visitors.post('/developer/apps/new', { action: 'register an app' }, async ({ body }, reply, { session, csrf }) => {
    const details = readDetails(body);
    const publicClient = parameter(body, 'public_client') === 'on';
    try {
      const created = await createApp(service, asDeveloper(session), { ...details, publicClient });
      const { app, address } = created;
      const shown = {
        title: `${app.name} is registered`,
        app,
        address,
        secrets: secretsOf(created),
        bases: basesOf(service.settings, service.publicUrl),
        note: firstQuarters(service, created),
      };
      return await sendConsolePage(reply, secretsPage(shown));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const errors = detailErrors(error, details);
      const refusal = error.faults.length === 0 ? { refusal: error.message } : {};
      return sendConsolePage(
        reply.code(error.status),
        newAppPage(service, { csrf, details, publicClient, errors, ...refusal }),
      );
    }
  });
}

/** What the documentation links to. It is the same for everybody, so it knows nobody's apps. */
const LINKED = ['keys', 'webhooks'] as const;

/** GET /developer/keys and /developer/webhooks lead to that section of a developer's only app, or else to the list of apps. */
export function sectionLinks(visitors: SignedInRoutes, service: Service): void {
  for (const section of LINKED) {
    visitors.get(`/developer/${section}`, async (_request, reply, { session }) => {
      const [first, ...others] = await listApps(service, asDeveloper(session));
      const path = first && others.length === 0 ? `${pathOfApp(first.app.id)}/${section}` : '/developer';
      return reply.redirect(path, 303);
    });
  }
}

/** Where the first quarters of a new app come from. */
function firstQuarters(service: Service, { app, testQuarters }: CreatedApp): Markup | false {
  if (testQuarters === null) return quartersHint(service, app, NO_QUARTERS);
  return html`<p class="notice good">Your app gets ${en.quarters(testQuarters)} to test with.</p>`;
}

const NO_QUARTERS = asQuarters(0);

function secretsOf({ serverKey, serverKeyScopes, clientSecret }: CreatedApp): NewSecret[] {
  return [
    { kind: 'server', secret: serverKey, scopes: serverKeyScopes },
    ...(clientSecret === null ? [] : [{ kind: 'client', secret: clientSecret, scopes: [] } as const]),
  ];
}

type AppsView = {
  readonly apps: readonly ListedApp[];
  readonly invitations: readonly ReceivedInvitation[];
  readonly visitor: Visitor;
  /** One was just deleted. */
  readonly deleted: boolean;
};

/** A developer's apps, and the teams they are invited to. */
function appsPage({ house }: Service, { apps, invitations, visitor, deleted }: AppsView): Page {
  const tutorial = documentsLink(house, '/guides/tutorial', 'The tutorial');
  const list =
    apps.length === 0
      ? html`<section class="card"><p>No apps yet. Register your game to create guests, ask players for quarters and pay them.${tutorial && html` ${tutorial} makes a first game in ten minutes.`}</p></section>`
      : html`<ul class="tiles">${apps.map(appTile)}</ul>`;
  const content = html`${deleted && html`<p class="notice good" role="status">The app is deleted.</p>`}
${invitations.map((invitation) => invitationCard(visitor, invitation))}
${list}`;
  const action = html`<a class="primary" href="/developer/apps/new">${icon('plus')}Register an app</a>`;
  return consolePage({ title: 'Your apps', content, action });
}

/** The name of the app is its owner's word, so the address of who invites stands with it. */
function invitationCard(visitor: Visitor, { appId, appName, role, invitedBy, expiresAt }: ReceivedInvitation): Markup {
  const answer = (verb: string, label: string, kind: string) =>
    consoleForm(
      visitor,
      `/developer/invitations/${verb}`,
      '/developer',
      html`${hidden('app', appId)}<button class="${kind}" aria-label="${label} the team of ${appName}">${label}</button>`,
    );
  return html`<section class="card invitation">
<div><p><strong>Join the team of “<bdi>${appName}</bdi>”?</strong></p>
<p class="hint"><bdi>${invitedBy}</bdi> invites you, as ${role}. Expires on ${consoleTime(expiresAt)}.</p></div>
<div class="actions">${answer('join', 'Join', 'secondary')}${answer('decline', 'Decline', 'quiet')}</div>
</section>`;
}

function appTile({ app, balance }: ListedApp): Markup {
  const picture = picturePath(app);
  return html`<li><a class="card" href="${pathOfApp(app.id)}">
<p class="whose">${
    picture
      ? html`<img src="${picture}" alt="" width="40" height="40">`
      : html`<span class="monogram" aria-hidden="true">${[...app.name][0]}</span>`
  }<strong><bdi>${app.name}</bdi></strong></p>
<p class="worth">${en.quarters(balance)}</p>
<p>${app.suspendedAt && badge('Suspended', 'bad')}${app.role !== 'owner' && badge(`You’re ${app.role}`)}${app.verifiedAt ? badge('Verified', 'good') : badge('Not verified')}${app.autoApprove && badge('Auto approval', 'good')}${
    app.autoApproveRequestedAt && !app.autoApprove && badge('Auto approval requested', 'wait')
  }</p>
</a></li>`;
}

type NewAppView = {
  readonly csrf: string;
  readonly details: AppDetails;
  readonly publicClient: boolean;
  readonly errors: DetailErrors;
  /** The reason for a refusal that concerns no field. */
  readonly refusal?: string;
};

/** The form that registers an app. */
function newAppPage({ development }: Service, { csrf, details, publicClient, errors, refusal }: NewAppView): Page {
  const content = html`<p>Your app gets its own account${development ? html`, API keys and ${en.quarters(TEST_QUARTERS)} to test with` : ' and API keys'}. You can change all but the last setting later.</p>
<section class="card">
${refusal && html`<p class="notice bad" role="alert">${refusal}</p>`}
<form method="post" action="/developer/apps/new">
${hidden('csrf', csrf)}${hidden('page', '/developer/apps/new')}
${detailFields(details, errors)}
<div class="field">
<label class="choice"><input type="checkbox" name="public_client" value="on" aria-describedby="public_client-hint"${publicClient && html` checked`}>My game has no server (public client)</label>
<p class="hint" id="public_client-hint">For mobile and browser games. There is no client secret, and PKCE is required.</p>
</div>
<button class="primary">Register</button>
</form>
</section>`;
  return consolePage({ title: 'Register an app', content });
}
