import { html } from 'hono/html';
import type { AppDetails } from '../../identity/apps.ts';
import { hidden } from '../../web/fields.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { type DetailErrors, detailFields } from './app-form.ts';

type View = {
  readonly csrf: string;
  readonly details: AppDetails;
  readonly publicClient: boolean;
  readonly errors: DetailErrors;
  /** The reason for a refusal that concerns no field. */
  readonly refusal?: string;
};

/** The form that registers an app. */
export function newAppPage({ csrf, details, publicClient, errors, refusal }: View): Markup {
  return layout(
    { inline: false, nav: true },
    'Register an app',
    html`<main>
<p><a href="/developer">Your apps</a></p>
<h1>Register an app</h1>
<p>Your app gets its own account and API keys. You can change all but the last setting later.</p>
${refusal && html`<p class="notice" role="alert">${refusal}</p>`}
<form method="post" action="/developer/apps/new">
${hidden('csrf', csrf)}${hidden('page', '/developer/apps/new')}
${detailFields(details, errors)}
<div class="field">
<label class="choice"><input type="checkbox" name="public_client" value="on" aria-describedby="public_client-hint"${publicClient && html` checked`}>My game has no server (public client)</label>
<p class="hint" id="public_client-hint">For mobile and browser games. There is no client secret, and PKCE is required.</p>
</div>
<button class="primary">Register</button>
</form>
</main>`,
  );
}
