import { html } from 'hono/html';
import { PASSKEY_SCRIPT, PASSWORD_SCRIPT } from '../../web/assets.ts';
import { field, hidden } from '../../web/fields.ts';
import { gameName } from '../../web/game-text.ts';
import { type Frame, layout, type Markup } from '../../web/layout.ts';

export type SignInPage = Frame & {
  readonly returnTo: string;
  /** The address of a signed-in user who must confirm it is them; undefined: nobody is signed in. */
  readonly again: string | undefined;
  /** The game that sent the player here, if one did. */
  readonly appName: string | undefined;
  readonly email?: string | undefined;
  readonly error?: string;
};

export function signInPage(page: SignInPage): Markup {
  const { again, appName, error } = page;
  const title = again === undefined ? 'Sign in' : 'Confirm it’s you';
  return layout(
    page,
    title,
    html`<main><h1>${title}</h1>
${again !== undefined && html`<p>Sign in again to continue.</p>`}
${appName !== undefined && html`<p>You’ll continue to the game <bdi>“${gameName(appName)}”</bdi>.</p>`}
${error && html`<p class="notice" role="alert">${error}</p>`}
${passwordForm(page)}
${passkeyForm(page)}
${links(page)}
</main>`,
    PASSKEY_SCRIPT.path,
    PASSWORD_SCRIPT.path,
  );
}

function passwordForm(page: SignInPage): Markup {
  const { again, email } = page;
  return html`<form method="post" action="/sign-in">
${carried(page)}
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  value: again ?? email,
  fixed: again !== undefined,
})}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button class="primary">${again === undefined ? 'Sign in' : 'Continue'}</button>
</form>`;
}

/** Hidden without JavaScript or passkeys. */
function passkeyForm(page: SignInPage): Markup {
  return html`<form id="passkey" data-passkey="use" data-options="/passkeys/sign-in/options" data-answer="/passkeys/sign-in" hidden>
${carried(page)}
<button class="secondary">Use a passkey</button>
<p class="error" role="alert" hidden></p>
</form>`;
}

function carried({ returnTo, again, inline }: SignInPage): Markup {
  return html`${hidden('return_to', returnTo)}${again !== undefined && hidden('again', 'true')}${inline && hidden('inline', 'true')}`;
}

function links({ returnTo, again, inline }: SignInPage): Markup {
  const query = new URLSearchParams({ return_to: returnTo, ...(inline && { inline: 'true' }) });
  return html`<p><a href="/forgot?${query}">Forgot your password?</a></p>
${again === undefined && html`<p>No account yet? <a href="/sign-up?${query}">Create one</a></p>`}`;
}
