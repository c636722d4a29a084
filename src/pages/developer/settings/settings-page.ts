import { html } from 'hono/html';
import { MAX_PICTURE_SIDE } from '../../../identity/app-pictures.ts';
import type { App, AppDetails } from '../../../identity/apps.ts';
import { picturePath } from '../../../web/branding.ts';
import { hidden } from '../../../web/fields.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { appConsolePage, developerForm, panel, pathOfApp } from '../console.ts';
import { type DetailErrors, detailFields } from './app-form.ts';

/** What a refused form leaves on the page. */
export type RefusedForm = {
  readonly details?: { readonly given: AppDetails; readonly errors: DetailErrors };
  /** The fault of the uploaded picture. */
  readonly picture?: string;
};

type View = {
  readonly app: App;
  readonly csrf: string;
  readonly saved: boolean;
  readonly refused: RefusedForm;
};

/** An app's details, picture and auto approval. */
export function settingsPage({ app, csrf, saved, refused }: View): Page {
  const { given, errors } = refused.details ?? { given: app, errors: {} };
  const content = html`${saved && html`<p class="notice good" role="status">Saved.</p>`}
${panel(
  'App details',
  developerForm(
    { csrf },
    settingsPath(app),
    settingsPath(app),
    html`${detailFields(given, errors)}
<button class="primary">Save</button>`,
  ),
)}
${brandingSection(app, csrf, refused.picture)}
${autoApprovalSection(app, csrf)}`;
  return appConsolePage(app, 'settings', { title: 'Settings', content });
}

function settingsPath({ id }: Pick<App, 'id'>): string {
  return `${pathOfApp(id)}/settings`;
}

function carried(app: App, csrf: string): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', settingsPath(app))}`;
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
<form method="post" action="${settingsPath(app)}/picture" enctype="multipart/form-data">
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
  html`<form method="post" action="${settingsPath(app)}/picture/remove">
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
<form method="post" action="${settingsPath(app)}/auto-approval">
${carried(app, csrf)}
<button class="secondary">Request auto approval</button>
</form>`;
}
