import { html } from 'hono/html';
import { withThousands } from '../../base/quarters.ts';
import type { ShownApp } from '../../features/apps/show-app.ts';
import type { AppDetails } from '../../identity/apps.ts';
import { hidden } from '../../web/fields.ts';
import { layout, type Markup, unit } from '../../web/layout.ts';
import { type DetailErrors, detailFields } from './app-form.ts';
import { autoApprovalSection, faceSection } from './app-sections.ts';
import type { RefusedKey } from './keys-section.ts';
import { clientSecretsSection, serverKeysSection } from './keys-section.ts';

/** What a refused form leaves on the page. */
export type RefusedForm = {
  readonly details?: { readonly given: AppDetails; readonly errors: DetailErrors };
  readonly newKey?: RefusedKey;
  /** The fault of the uploaded picture. */
  readonly picture?: string;
  /** The reason for a refusal that concerns no field. */
  readonly notice?: string;
};

type View = ShownApp & { readonly csrf: string; readonly saved: boolean; readonly refused: RefusedForm };

/** One app: its details, picture, keys and auto approval. */
export function appPage({ app, address, balance, keys, csrf, saved, refused }: View): Markup {
  const { given, errors } = refused.details ?? { given: app, errors: {} };
  return layout(
    { inline: false, nav: true },
    app.name,
    html`<main>
<p><a href="/developer">Your apps</a></p>
<h1>${app.name}</h1>
${saved && html`<p class="notice" role="status">Saved.</p>`}
${refused.notice && html`<p class="notice" role="alert">${refused.notice}</p>`}
<dl>
<div><dt>App id (client id)</dt><dd><code>${app.id}</code></dd></div>
<div><dt>Account</dt><dd><code>${address}</code></dd></div>
<div><dt>Balance</dt><dd>${withThousands(balance)} ${unit(balance)}</dd></div>
</dl>
<p class="hint">Players’ payments arrive in this account, and your payouts come from it.</p>
<section>
<h2>App details</h2>
<form method="post" action="/developer/apps/${app.id}">
${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${app.id}`)}
${detailFields(given, errors)}
<button class="primary">Save</button>
</form>
</section>
${faceSection(app, csrf, refused.picture)}
${serverKeysSection({ app, keys, csrf }, refused.newKey)}
${clientSecretsSection({ app, keys, csrf })}
<section>
<h2>Webhooks</h2>
<p>Get notified about payments and guests. <a href="/developer/apps/${app.id}/webhooks">Set up webhooks</a></p>
</section>
${autoApprovalSection(app, csrf)}
</main>`,
  );
}
