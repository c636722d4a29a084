import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import { type Bases, basesOf } from '../../config/bases.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import { showApp } from '../../features/apps/show-app.ts';
import { issueKey, revokeKey, rotateKey } from '../../features/keys/keys.ts';
import type { KeyKind, KeyScope } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { sendAppPage } from './app-routes.ts';
import { appIdOf, appPath, sendDeveloperPage } from './developer-page.ts';
import { readNewKey } from './keys-section.ts';

const PATH = '/developer/apps/:id/keys';

/**
 * POST /developer/apps/{id}/keys creates a key, …/rotate creates a second one like the given one, …/revoke ends one. All need a fresh
 * sign-in, as a key moves quarters.
 */
export function keyRoutes(pages: FastifyInstance, service: Service): void {
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const wanted = readNewKey(request.body);
        if ('refused' in wanted) {
          return sendAppPage(service, request, reply.code(400), visitor, { newKey: wanted.refused });
        }
        return showNewKey(service, request, reply, visitor, async () => ({
          kind: wanted.kind,
          scopes: wanted.kind === 'server' ? wanted.scopes : [],
          secret: await issueKey(service, asDeveloper(visitor.session), appIdOf(request), wanted),
        }));
      },
      { fresh: true },
    ),
  );
  pages.post(
    `${PATH}/rotate`,
    signedIn(
      service,
      async (request, reply, visitor) =>
        showNewKey(service, request, reply, visitor, () =>
          rotateKey(service, asDeveloper(visitor.session), appIdOf(request), parameter(request.body, 'key') ?? ''),
        ),
      { fresh: true },
    ),
  );
  pages.post(
    `${PATH}/revoke`,
    signedIn(
      service,
      async (request, reply, { session }) => {
        await revokeKey(service, asDeveloper(session), appIdOf(request), parameter(request.body, 'key') ?? '');
        return reply.redirect(appPath(request), 303);
      },
      { fresh: true },
    ),
  );

  for (const path of [PATH, `${PATH}/rotate`, `${PATH}/revoke`]) {
    // The address bar shows this path while a new secret is shown. Loading it by hand gives the app's page.
    pages.get(path, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(appPath(request), 303));
  }
}

/** Creates a key and shows its secret. If there are already two, the app's page says so. */
async function showNewKey(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  create: () => Promise<NewSecret>,
): Promise<FastifyReply> {
  try {
    const secret = await create();
    const { app, address } = await showApp(service, asDeveloper(visitor.session), appIdOf(request));
    const title = secret.kind === 'server' ? 'Your new server API key' : 'Your new client secret';
    const bases = basesOf(service.settings, service.publicUrl);
    return await sendDeveloperPage(reply, secretsPage({ title, app, address, secrets: [secret], bases }));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'limit-reached') throw error;
    return sendAppPage(service, request, reply.code(error.status), visitor, { notice: error.message });
  }
}

/** A secret that was just created. */
export type NewSecret = { readonly kind: KeyKind; readonly secret: string; readonly scopes: readonly KeyScope[] };

type SecretsView = {
  readonly title: string;
  readonly app: App;
  readonly address: string;
  readonly secrets: readonly NewSecret[];
  readonly bases: Bases;
};

/** Shows new secrets, once, with an example call for each. */
export function secretsPage({ title, app, address, secrets, bases }: SecretsView): Page {
  return layout(
    { inline: false, nav: true, wide: true },
    title,
    html`<main class="console">
<div>
<h1>${title}</h1>
<p class="notice" role="status">Copy this now: we show it only once.</p>
</div>
<section class="card">
<dl>
<div><dt>App id (client id)</dt><dd><code>${app.id}</code></dd></div>
<div><dt>Account</dt><dd><code>${address}</code></dd></div>
</dl>
</section>
${secrets.map((secret) => secretSection(bases, app, address, secret))}
<form method="get" action="/developer/apps/${app.id}"><button class="primary">I’ve saved it</button></form>
</main>`,
  );
}

function secretSection(bases: Bases, app: App, address: string, secret: NewSecret): Markup {
  const { about, command } = exampleCall(bases, app, address, secret);
  return html`<section class="card">
<h2>${secret.kind === 'server' ? 'Server API key' : 'Client secret'}</h2>
<p><code class="secret">${secret.secret}</code></p>
<p>${about}</p>
<p><code class="secret">${command}</code></p>
</section>`;
}

/** A first call with a new secret, as a shell command. */
function exampleCall(
  bases: Bases,
  app: App,
  address: string,
  { kind, secret, scopes }: NewSecret,
): { about: string; command: string } {
  if (kind === 'client') {
    return {
      about: 'Exchange a player’s code for tokens:',
      command: `curl ${bases.api}/v1/oauth/token -d grant_type=authorization_code -d client_id=${app.id} -d client_secret=${secret} -d code=CODE`,
    };
  }
  const header = `-H 'Authorization: Bearer ${secret}'`;
  return scopes.includes('guests')
    ? { about: 'Create your first guest:', command: `curl -X POST ${bases.devApi}/v1/new-guest ${header}` }
    : { about: 'Read your balance:', command: `curl ${bases.api}/v1/accounts/${address}/balance ${header}` };
}
