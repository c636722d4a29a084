import { html } from 'hono/html';
import { MAX_PICTURE_SIDE } from '../../identity/app-pictures.ts';
import type { App } from '../../identity/apps.ts';
import { picturePath } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';

/** In two or three words. */
export function autoApprovalState({ autoApprove, autoApproveRequestedAt }: App): string {
  if (autoApprove) return 'enabled';
  return autoApproveRequestedAt ? 'requested' : 'not enabled';
}

/** Explains auto approval, and shows the app's state and the form that requests it. */
export function autoApprovalSection(app: App, csrf: string): Markup {
  return html`<section>
<h2>Auto approval</h2>
<p>Players can set a spending limit, within which your game doesn’t ask each time.</p>
${state(app, csrf)}
</section>`;
}

function state(app: App, csrf: string): Markup {
  if (app.autoApprove)
    return html`<p>It is <strong>enabled</strong> for this app. Players can choose it when they approve a payment.</p>`;
  if (app.autoApproveRequestedAt) {
    return html`<p>You <strong>requested it</strong> on ${app.autoApproveRequestedAt.toISOString().slice(0, 10)}. The operator will decide.</p>`;
  }
  return html`<p>It is <strong>not enabled</strong> for this app. The operator enables it on request.</p>
<form method="post" action="/developer/apps/${app.id}/auto-approval">
${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${app.id}`)}
<button class="secondary">Request auto approval</button>
</form>`;
}

/** How players see the app: its picture, and whether the operator has verified it. `error`: the fault of the uploaded file. */
export function faceSection(app: App, csrf: string, error: string | undefined): Markup {
  const path = picturePath(app);
  const about = [error && 'picture-error', 'picture-hint'].filter(Boolean).join(' ');
  const carried = html`${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${app.id}`)}`;
  return html`<section>
<h2>How players see your app</h2>
${
  path
    ? html`<p class="face"><img src="${path}" alt="The picture of this app" width="48" height="48"> <span>This picture appears next to the name.</span></p>`
    : html`<p>No picture yet. It appears next to the name where your game asks for quarters.</p>`
}
<form method="post" action="/developer/apps/${app.id}/picture" enctype="multipart/form-data">
${carried}
<div class="field">
<label for="picture">${path ? 'New picture' : 'Picture'}</label>
<input id="picture" name="picture" type="file" accept="image/png" required aria-describedby="${about}"${error && html` aria-invalid="true" autofocus`}>
${error && html`<p class="error" id="picture-error">${error}</p>`}
<p class="hint" id="picture-hint">PNG, up to 8 kB and ${MAX_PICTURE_SIDE} × ${MAX_PICTURE_SIDE} pixels. We show it 48 pixels wide.</p>
</div>
<button class="secondary">Upload</button>
</form>
${
  path &&
  html`<form method="post" action="/developer/apps/${app.id}/picture/remove">
${carried}
<button class="small">Remove picture</button>
</form>`
}
${verified(app)}
</section>`;
}

/** In two or three words. */
export function verifiedState({ verifiedAt }: App): string {
  return verifiedAt ? 'yes' : 'no';
}

function verified({ verifiedAt }: App): Markup {
  return verifiedAt
    ? html`<p>Players see it as <strong>verified by Quarters</strong> since ${verifiedAt.toISOString().slice(0, 10)}. Changing the name or picture ends that.</p>`
    : html`<p>It is <strong>not verified</strong>: players see it as unverified. The operator verifies an app once they know who is behind it. Changing the name or picture later ends that.</p>`;
}
