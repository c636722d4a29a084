import { html } from 'hono/html';
import type { ShownApp } from '../../features/apps/show-app.ts';
import { MAX_PICTURE_SIDE } from '../../identity/app-pictures.ts';
import type { App, AppDetails } from '../../identity/apps.ts';
import { picturePath } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { words } from '../../words/words.ts';
import { type DetailErrors, detailFields } from './app-form.ts';
import { clientSecretsSection, type RefusedKey, serverKeysSection } from './keys-section.ts';

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
export function appPage({ app, address, balance, keys, csrf, saved, refused }: View): Page {
  const { given, errors } = refused.details ?? { given: app, errors: {} };
  return layout(
    { inline: false, nav: true, wide: true },
    app.name,
    html`<main class="console">
<div>
<p class="lead"><a href="/developer">Your apps</a></p>
<h1>${app.name}</h1>
${saved && html`<p class="notice good" role="status">Saved.</p>`}
${refused.notice && html`<p class="notice bad" role="alert">${refused.notice}</p>`}
</div>
<section class="card">
<dl>
<div><dt>App id (client id)</dt><dd><code>${app.id}</code></dd></div>
<div><dt>Account</dt><dd><code>${address}</code></dd></div>
<div><dt>Balance</dt><dd>${words.quarters(balance)}</dd></div>
</dl>
<p class="hint">Players’ payments arrive in this account, and your payouts come from it.</p>
</section>
<section class="card">
<h2>App details</h2>
<form method="post" action="/developer/apps/${app.id}">
${carried(app, csrf)}
${detailFields(given, errors)}
<button class="primary">Save</button>
</form>
</section>
${brandingSection(app, csrf, refused.picture)}
${serverKeysSection({ app, keys, csrf }, refused.newKey)}
${clientSecretsSection({ app, keys, csrf })}
<section class="card">
<h2>Webhooks</h2>
<p>Get notified about payments and guests. <a href="/developer/apps/${app.id}/webhooks">Set up webhooks</a></p>
</section>
${autoApprovalSection(app, csrf)}
</main>`,
  );
}

function carried({ id }: App, csrf: string): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${id}`)}`;
}

/** How players see the app: its picture, and whether the operator has verified it. `error`: the fault of the uploaded file. */
function brandingSection(app: App, csrf: string, error: string | undefined): Markup {
  const path = picturePath(app);
  const about = [error && 'picture-error', 'picture-hint'].filter(Boolean).join(' ');
  return html`<section class="card">
<h2>How players see your app</h2>
${
  path
    ? html`<p class="branding"><img src="${path}" alt="The picture of this app" width="48" height="48"> <span>This picture appears next to the name.</span></p>`
    : html`<p>No picture yet. It appears next to the name where your game asks for quarters.</p>`
}
<form method="post" action="/developer/apps/${app.id}/picture" enctype="multipart/form-data">
${carried(app, csrf)}
<div class="field">
<label for="picture">${path ? 'New picture' : 'Picture'}</label>
<input id="picture" name="picture" type="file" accept="image/png,image/webp" required aria-describedby="${about}"${error && html` aria-invalid="true" autofocus`}>
${error && html`<p class="error" id="picture-error">${error}</p>`}
<p class="hint" id="picture-hint">PNG or WebP, up to 8 kB and ${MAX_PICTURE_SIDE} × ${MAX_PICTURE_SIDE} pixels. A square looks best. WebP fits more detail.</p>
</div>
<button class="secondary">Upload</button>
</form>
${
  path &&
  html`<form method="post" action="/developer/apps/${app.id}/picture/remove">
${carried(app, csrf)}
<button class="small">Remove picture</button>
</form>`
}
${verification(app)}
</section>`;
}

function verification({ verifiedAt }: App): Markup {
  return verifiedAt
    ? html`<p>Players see it as <strong>verified by Quarters</strong> since ${verifiedAt.toISOString().slice(0, 10)}. Changing the name or picture ends that.</p>`
    : html`<p>It is <strong>not verified</strong>: players see it as unverified. The operator verifies an app once they know who is behind it. Changing the name or picture later ends that.</p>`;
}

/** Explains auto approval, and shows the app's state and the form that requests it. */
function autoApprovalSection(app: App, csrf: string): Markup {
  return html`<section class="card">
<h2>Auto approval</h2>
<p>Players can set a spending limit, within which your game doesn’t ask each time.</p>
${autoApproval(app, csrf)}
</section>`;
}

function autoApproval(app: App, csrf: string): Markup {
  if (app.autoApprove)
    return html`<p>It is <strong>enabled</strong> for this app. Players can choose it when they approve a payment.</p>`;
  if (app.autoApproveRequestedAt) {
    return html`<p>You <strong>requested it</strong> on ${app.autoApproveRequestedAt.toISOString().slice(0, 10)}. The operator will decide.</p>`;
  }
  return html`<p>It is <strong>not enabled</strong> for this app. The operator enables it on request.</p>
<form method="post" action="/developer/apps/${app.id}/auto-approval">
${carried(app, csrf)}
<button class="secondary">Request auto approval</button>
</form>`;
}
