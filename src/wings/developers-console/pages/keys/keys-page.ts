import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { App } from '../../../../identity/apps.ts';
import { appConsolePage } from '../../../../pages/consoles/app-frame.ts';
import type { House } from '../../../../service/house.ts';
import type { ShownApp } from '../../../../views/apps/show-app.ts';
import { copyable } from '../../../../web/copyable.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { clientSecretsSection, type RefusedKey, serverKeysSection } from './keys-section.ts';

/** What a refused form leaves on the page. */
export type RefusedKeyForm = {
  readonly newKey?: RefusedKey;
  /** The reason for a refusal that concerns no field. */
  readonly notice?: string;
};

type View = ShownApp & { readonly csrf: string; readonly house: House; readonly refused: RefusedKeyForm };

/** What identifies an app, and the keys it uses. */
export function keysPage({ app, address, keys, csrf, house, refused }: View): Page {
  const content = html`${refused.notice && html`<p class="notice bad" role="alert">${refused.notice}</p>`}
${appIdentity(app, address)}
${serverKeysSection({ app, keys, csrf, house }, refused.newKey)}
${clientSecretsSection({ app, keys, csrf, house }, refused.newKey)}`;
  return appConsolePage(app, 'keys', { title: 'Keys', content });
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
