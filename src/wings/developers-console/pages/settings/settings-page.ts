import { html } from 'hono/html';
import { MAX_PICTURE_SIDE } from '../../../../identity/app-pictures.ts';
import type { App, AppDetails } from '../../../../identity/apps.ts';
import { appConsolePage, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm, panel } from '../../../../pages/consoles/console.ts';
import { type ManagedApp, mayManage } from '../../../../service/managers.ts';
import { picturePath } from '../../../../views/apps/picture-path.ts';
import { hidden } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { signInAddress } from '../../../../web/visitor.ts';
import { type DetailErrors, detailFields } from './app-form.ts';

/** What a refused form leaves on the page. */
export type RefusedForm = {
  readonly details?: { readonly given: AppDetails; readonly errors: DetailErrors };
  /** The fault of the uploaded picture. */
  readonly picture?: string;
};

type View = {
  readonly app: ManagedApp;
  readonly csrf: string;
  /** Whether the sign-in is recent enough for a change. */
  readonly fresh: boolean;
  readonly saved: boolean;
  /** The visitor has just confirmed who they are, to upload a picture. */
  readonly confirmed: boolean;
  readonly refused: RefusedForm;
};

/** An app's details, picture and auto approval, and how to delete it. Whoever may not change them sees them all the same. */
export function settingsPage(view: View): Page {
  const { app, csrf, saved, confirmed, refused } = view;
  const { given, errors } = refused.details ?? { given: app, errors: {} };
  const title = 'Settings';
  if (!mayManage(app, 'configure')) return appConsolePage(app, 'settings', { title, content: readOnly(app) });
  const content = html`${saved && html`<p class="notice good" role="status">Saved.</p>`}
${confirmed && html`<p class="notice good" role="status">Confirmed. Choose the picture again.</p>`}
${panel(
  'App details',
  consoleForm(
    { csrf },
    settingsPath(app),
    settingsPath(app),
    html`${detailFields(given, errors)}
<button class="primary">Save</button>`,
  ),
)}
${brandingSection(view)}
${autoApprovalSection(app, csrf)}
${
  mayManage(app, 'delete') &&
  panel(
    'Delete this app',
    html`<p>All access to it ends, for players, servers and your team.</p>
<p><a class="secondary" href="${settingsPath(app)}/delete">Delete this app…</a></p>`,
  )
}`;
  return appConsolePage(app, 'settings', { title, content });
}

/** The settings for members who may not change them. */
function readOnly(app: ManagedApp): Markup {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Name', [app.name]],
    ['Redirect addresses', app.redirectUris],
    ['Sites that may frame our pages', app.frameAncestors],
    ['Origins that get results', app.resultOrigins],
    ['Top-up page', app.topUpUrl ? [app.topUpUrl] : []],
    ['Verified', [app.verifiedAt ? 'Yes' : 'No']],
    ['Auto approval', [app.autoApprove ? 'Enabled' : 'Not enabled']],
  ];
  const value = (lines: readonly string[]) =>
    lines.length === 0 ? 'None' : lines.map((line) => html`<span class="line"><bdi>${line}</bdi></span>`);
  return html`<section class="card">
<dl>${rows.map(([label, lines]) => html`<div><dt>${label}</dt><dd>${value(lines)}</dd></div>`)}</dl>
<p class="hint">Your role is ${app.role}. An admin can change this.</p>
</section>`;
}

function settingsPath({ id }: Pick<App, 'id'>): string {
  return `${pathOfApp(id)}/settings`;
}

function carried(app: App, csrf: string): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', settingsPath(app))}`;
}

/** How players see the app: its picture, and whether the operator has verified it. `error`: the fault of the uploaded file. */
function brandingSection({ app, csrf, fresh, refused: { picture: error } }: View): Markup {
  const path = picturePath(app);
  return html`<section class="card">
<h2>How players see your app</h2>
${
  path
    ? html`<p class="branding"><img src="${path}" alt="The picture of this app" width="48" height="48"> <span>This picture appears next to the name.</span></p>`
    : html`<p>No picture yet. It appears next to the name where your game asks for quarters.</p>`
}
${fresh ? uploadForm(app, csrf, error) : confirmFirst(app)}
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

/** A file cannot be kept while its sender signs in again, so the sign-in comes first. */
function confirmFirst(app: App): Markup {
  const address = signInAddress(`${settingsPath(app)}?confirmed=true`, true);
  return html`<p>To upload a picture, confirm who you are first.</p>
<p><a class="secondary" href="${address}">Confirm it’s you</a></p>`;
}

function uploadForm(app: App, csrf: string, error: string | undefined): Markup {
  const path = picturePath(app);
  const about = [error && 'picture-error', 'picture-hint'].filter(Boolean).join(' ');
  return html`<form method="post" action="${settingsPath(app)}/picture" enctype="multipart/form-data">
${carried(app, csrf)}
<div class="field">
<label for="picture">${path ? 'New picture' : 'Picture'}</label>
<input id="picture" name="picture" type="file" accept="image/png,image/webp" required aria-describedby="${about}"${error && html` aria-invalid="true" autofocus`}>
${error && html`<p class="error" id="picture-error">${error}</p>`}
<p class="hint" id="picture-hint">PNG or WebP, up to 8 kB and ${MAX_PICTURE_SIDE} × ${MAX_PICTURE_SIDE} pixels. A square looks best. WebP fits more detail.</p>
</div>
<button class="secondary">Upload</button>
</form>`;
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
