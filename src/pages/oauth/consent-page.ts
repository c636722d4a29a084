import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import { SCOPES, type Scope } from '../../identity/scopes.ts';
import type { User } from '../../identity/users.ts';
import { NO_REDIRECT } from '../../oauth/clients.ts';
import { appFace } from '../../web/app-face.ts';
import { READY_SCRIPT } from '../../web/assets.ts';
import { hidden } from '../../web/fields.ts';
import { type Frame, layout, type Markup } from '../../web/layout.ts';

export type ConsentPage = Frame & {
  readonly app: App;
  readonly user: User;
  readonly scopes: readonly Scope[];
  /** Where the answer goes. */
  readonly redirectUri: string;
  /** The page's own path. */
  readonly path: string;
  readonly csrf: string;
};

/** Asks for consent: shows the game, what it may do, and where the player continues. */
export function consentPage(page: ConsentPage): Markup {
  const { app, user, scopes, redirectUri, path, csrf } = page;
  return layout(
    page,
    'Let a game use your account',
    html`<main>
${appFace(app)}
<h1>asks to use your Quarters account</h1>
<p>If you allow it, it can:</p>
<ul>${scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}</ul>
<dl>
<div><dt>Signed in as</dt><dd><bdi>${user.displayName}</bdi> (<a href="/sign-out">not you?</a>)</dd></div>
<div><dt>You’ll continue to</dt><dd>${destination(redirectUri)}</dd></div>
</dl>
<form method="post" action="${path}">
${hidden('csrf', csrf)}${hidden('page', path)}
<button class="primary" name="decision" value="allow">Allow</button>
<button class="secondary" name="decision" value="refuse">Don’t allow</button>
</form>
<p class="hint">You can remove this access at any time on your account page.</p>
</main>`,
    READY_SCRIPT.path,
  );
}

/** As a browser would show it: the host of a web address, or the scheme of an app. */
function destination(redirectUri: string): string {
  if (redirectUri === NO_REDIRECT) return 'the game';
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : `an app on this device (${protocol.slice(0, -1)})`;
}
