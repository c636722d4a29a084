import { html } from 'hono/html';
import { PASSWORD_SCRIPT } from '../../web/assets.ts';
import { field, hidden } from '../../web/fields.ts';
import { type Frame, layout, type Markup } from '../../web/layout.ts';
import { newPasswordField } from '../../web/new-password-field.ts';
import { signInAddress } from '../../web/visitor.ts';
import { codeForms, emailForm } from '../sign-up/account-forms.ts';

export type Step = Frame & { readonly returnTo: string };

/** Asks for the account's e-mail address. */
export function forgotPage(page: Step & { readonly email?: string; readonly error?: string }): Markup {
  const { returnTo, inline, ...form } = page;
  return layout(
    page,
    'Reset your password',
    html`<main><h1>Reset your password</h1>
<p>What’s your account’s e-mail address? We’ll send a code there.</p>
${emailForm({ ...form, action: '/forgot', hidden: carried(page) })}
<p>Remembered it? <a href="${signInAddress(returnTo, false)}">Sign in</a></p>
</main>`,
  );
}

export function resetCodePage(page: Step & { email: string; flow: string; error?: string }): Markup {
  const { email, flow, error } = page;
  return layout(
    page,
    'Your code',
    html`<main>${codeForms({
      email,
      error,
      check: { action: '/forgot/code', hidden: { flow, ...carried(page) } },
      again: { action: '/forgot', hidden: { email, ...carried(page) } },
    })}
<p><a href="/forgot?${new URLSearchParams({ return_to: page.returnTo })}">Use another e-mail address</a></p>
</main>`,
  );
}

export function newPasswordPage(page: Step & { email: string; flow: string; error?: string }): Markup {
  const { email, flow, error } = page;
  return layout(
    page,
    'Set a new password',
    html`<main><h1>Set a new password</h1>
<p>This signs you out everywhere. Games keep the access you gave them.</p>
<form method="post" action="/forgot/password">
${hidden('flow', flow)}${Object.entries(carried(page)).map(([name, value]) => hidden(name, value))}
${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email, fixed: true })}
${newPasswordField({ label: 'New password', error })}
<button class="primary">Set password</button>
</form>
</main>`,
    PASSWORD_SCRIPT.path,
  );
}

function carried({ returnTo, inline }: Step) {
  return { return_to: returnTo, inline: inline ? 'true' : undefined };
}
