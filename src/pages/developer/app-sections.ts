import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import { MAX_PICTURE_SIDE } from '../../identity/picture-file.ts';
import { picturePath } from '../../web/app-face.ts';
import { hidden } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';

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
