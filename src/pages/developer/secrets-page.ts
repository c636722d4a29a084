import { html } from 'hono/html';
import type { Bases } from '../../config/bases.ts';
import type { KeyKind, KeyScope } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';
import { layout, type Markup } from '../../web/layout.ts';

/** A secret that was just created. */
export type NewSecret = { readonly kind: KeyKind; readonly secret: string; readonly scopes: readonly KeyScope[] };

export type ExampleCall = { readonly about: string; readonly command: string };

/** A first call with a new secret, as a shell command. */
function exampleCall(bases: Bases, app: App, address: string, { kind, secret, scopes }: NewSecret): ExampleCall {
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

type View = {
  readonly title: string;
  readonly app: App;
  readonly address: string;
  readonly secrets: readonly NewSecret[];
  readonly bases: Bases;
};

/** Shows new secrets, once, with an example call for each. */
export function secretsPage({ title, app, address, secrets, bases }: View): Markup {
  return layout(
    { inline: false, nav: true },
    title,
    html`<main>
<h1>${title}</h1>
<p class="notice" role="status">Copy this now: we show it only once.</p>
<dl>
<div><dt>App id (client id)</dt><dd><code>${app.id}</code></dd></div>
<div><dt>Account</dt><dd><code>${address}</code></dd></div>
</dl>
${secrets.map((secret) => secretSection(bases, app, address, secret))}
<form method="get" action="/developer/apps/${app.id}"><button class="primary">I’ve saved it</button></form>
</main>`,
  );
}

function secretSection(bases: Bases, app: App, address: string, secret: NewSecret): Markup {
  const { about, command } = exampleCall(bases, app, address, secret);
  return html`<section>
<h2>${secret.kind === 'server' ? 'Server API key' : 'Client secret'}</h2>
<p><code class="secret">${secret.secret}</code></p>
<p>${about}</p>
<p><code class="secret">${command}</code></p>
</section>`;
}
