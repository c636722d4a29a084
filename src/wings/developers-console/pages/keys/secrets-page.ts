import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { Bases } from '../../../../config/bases.ts';
import type { KeyKind } from '../../../../identity/app-keys.ts';
import type { App } from '../../../../identity/apps.ts';
import type { KeyScope } from '../../../../identity/key-scopes.ts';
import { appConsolePage, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { KEY_HEADER } from '../../../../pages/consoles/first-payment.ts';
import { copyable, copyBlock } from '../../../../web/copyable.ts';
import type { Markup, Page } from '../../../../web/layout.ts';

/** A secret that was just created. */
export type NewSecret = { readonly kind: KeyKind; readonly secret: string; readonly scopes: readonly KeyScope[] };

type SecretsView = {
  readonly title: string;
  readonly app: App;
  readonly address: string;
  readonly secrets: readonly NewSecret[];
  readonly bases: Bases;
  /** What else there is to say, after the secrets. */
  readonly note?: Markup | false;
};

/** Shows new secrets, once, with an example call for each. */
export function secretsPage({ title, app, address, secrets, bases, note }: SecretsView): Page {
  const content = html`<p class="notice" role="status">Copy this now: we show it only once.</p>
${appIdentity(app, address)}
${secrets.map((secret) => secretSection(bases, app, address, secret))}
${note}
<form method="get" action="${pathOfApp(app.id)}"><button class="primary">I’ve saved it</button></form>`;
  return appConsolePage(app, 'keys', { title, content });
}

function secretSection(bases: Bases, app: App, address: string, secret: NewSecret): Markup {
  const { about, command } = exampleCall(bases, app, address, secret);
  return html`<section class="card">
<h2>${secret.kind === 'server' ? 'Server API key' : 'Client secret'}</h2>
<p>${copyable(en, secret.secret, secret.kind === 'server' ? 'server API key' : 'client secret')}</p>
<p>${about}</p>
${copyBlock(en, command, 'example call')}
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
  const set = `export QUARTERS_SERVER_KEY=${secret}`;
  return scopes.includes('guests')
    ? {
        about: 'Create your first guest:',
        command: `${set}\ncurl -X POST ${bases.devApi}/v1/new-guest \\\n  ${KEY_HEADER}`,
      }
    : {
        about: 'Read your balance:',
        command: `${set}\ncurl ${bases.api}/v1/accounts/${address}/balance \\\n  ${KEY_HEADER}`,
      };
}

/** The public names of an app. */
export function appIdentity(app: App, address: string): Markup {
  return html`<section class="card">
<dl>
<div><dt>App id (client id)</dt><dd>${copyable(en, app.id, 'app id')}</dd></div>
<div><dt>Account</dt><dd>${copyable(en, address, 'account address')}</dd></div>
</dl>
</section>`;
}
