import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import { basesOf } from '../../config/bases.ts';
import { type CreatedApp, createApp } from '../../features/apps/create-app.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import { type ListedApp, listApps } from '../../features/apps/show-app.ts';
import { USUAL_KEY_SCOPES } from '../../identity/app-keys.ts';
import type { App, AppDetails } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { hidden } from '../../web/fields.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn } from '../../web/visitor.ts';
import { words } from '../../words/words.ts';
import { type DetailErrors, detailErrors, detailFields, NO_DETAILS, readDetails } from './app-form.ts';
import { sendDeveloperPage } from './developer-page.ts';
import { type NewSecret, secretsPage } from './key-routes.ts';

/** GET /developer lists a developer's apps, /developer/apps/new registers one. */
export function appsRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/developer',
    signedIn(service, async (_request, reply, { session }) =>
      sendDeveloperPage(reply, appsPage(await listApps(service, asDeveloper(session)))),
    ),
  );

  pages.get(
    '/developer/apps/new',
    signedIn(service, async (_request, reply, { csrf }) =>
      sendDeveloperPage(reply, newAppPage({ csrf, details: NO_DETAILS, publicClient: false, errors: {} })),
    ),
  );
  pages.post(
    '/developer/apps/new',
    signedIn(service, async ({ body }, reply, { session, csrf }) => {
      const details = readDetails(body);
      const publicClient = parameter(body, 'public_client') === 'on';
      try {
        const created = await createApp(service, asDeveloper(session), { ...details, publicClient });
        const { app, address } = created;
        const bases = basesOf(service.settings, service.publicUrl);
        const title = `${app.name} is registered`;
        return await sendDeveloperPage(reply, secretsPage({ title, app, address, secrets: secretsOf(created), bases }));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const errors = detailErrors(error, details);
        const refusal = error.faults.length === 0 ? { refusal: error.message } : {};
        return sendDeveloperPage(
          reply.code(error.status),
          newAppPage({ csrf, details, publicClient, errors, ...refusal }),
        );
      }
    }),
  );
}

function secretsOf({ serverKey, clientSecret }: CreatedApp): NewSecret[] {
  return [
    { kind: 'server', secret: serverKey, scopes: USUAL_KEY_SCOPES },
    ...(clientSecret === null ? [] : [{ kind: 'client', secret: clientSecret, scopes: [] } as const]),
  ];
}

/** A developer's apps. */
function appsPage(apps: readonly ListedApp[]): Page {
  return layout(
    { inline: false, nav: true, wide: true },
    'Your apps',
    html`<main class="console">
<h1>Your apps</h1>
${
  apps.length === 0
    ? html`<section class="card"><p>No apps yet. Register your game to create guests, ask players for quarters and pay them.</p></section>`
    : apps.map(appSection)
}
<p class="actions"><a class="primary" href="/developer/apps/new">Register an app</a></p>
<p class="lead"><a href="/tour">Tour</a> · <a href="/docs">API reference</a></p>
</main>`,
  );
}

function appSection({ app, address, balance }: ListedApp): Markup {
  return html`<section class="card">
<h2><a href="/developer/apps/${app.id}">${app.name}</a></h2>
<dl>
<div><dt>App id</dt><dd><code>${app.id}</code></dd></div>
<div><dt>Account</dt><dd><code>${address}</code></dd></div>
<div><dt>Balance</dt><dd>${words.quarters(balance)}</dd></div>
<div><dt>Verified</dt><dd>${app.verifiedAt ? 'yes' : 'no'}</dd></div>
<div><dt>Auto approval</dt><dd>${autoApprovalState(app)}</dd></div>
</dl>
</section>`;
}

function autoApprovalState({ autoApprove, autoApproveRequestedAt }: App): string {
  if (autoApprove) return 'enabled';
  return autoApproveRequestedAt ? 'requested' : 'not enabled';
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
function newAppPage({ csrf, details, publicClient, errors, refusal }: NewAppView): Page {
  return layout(
    { inline: false, nav: true, wide: true },
    'Register an app',
    html`<main class="console">
<div>
<p class="lead"><a href="/developer">Your apps</a></p>
<h1>Register an app</h1>
<p>Your app gets its own account and API keys. You can change all but the last setting later.</p>
</div>
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
</section>
</main>`,
  );
}
