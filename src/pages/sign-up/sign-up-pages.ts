import { html } from 'hono/html';
import { PASSWORD_SCRIPT } from '../../web/assets.ts';
import { type Frame, layout, type Markup } from '../../web/layout.ts';
import { codeForms, emailForm, type FinishForm, finishForm } from './account-forms.ts';

/** How the visitor came, and where they continue. */
export type Way = Frame & { readonly returnTo: string };
export type Step = Way & { readonly email: string };
/** A step's sealed field. */
type Sealed = { readonly flow: string };

export function emailPage(way: Way & { email?: string; error?: string }): Markup {
  return layout(
    way,
    'Sign up',
    html`<main><h1>Create your account</h1>
<p>One account for every game that uses Quarters. We’ll send a code to your e-mail address first.</p>
${emailForm({ email: way.email, error: way.error, action: '/sign-up', hidden: carried(way) })}
<p>Already have an account? <a href="${pathWith('/sign-in', way)}">Sign in</a></p>
</main>`,
  );
}

export function codePage(step: Step & Sealed & { error?: string }): Markup {
  const { email, flow, error } = step;
  const check = { action: '/sign-up/code', hidden: { ...carried(step), flow } };
  const again = { action: '/sign-up', hidden: { ...carried(step), email } };
  return layout(
    step,
    'Your code',
    html`<main>${codeForms({ email, error, check, again })}
<p><a href="${pathWith('/sign-up', step)}">Use another e-mail address</a></p>
</main>`,
  );
}

export function finishPage(step: Step & Sealed & Pick<FinishForm, 'displayName' | 'errors'>): Markup {
  const { email, displayName, errors, flow } = step;
  const target = { action: '/sign-up/finish', hidden: { ...carried(step), flow } };
  return layout(
    step,
    'Name and password',
    html`<main><h1>Name and password</h1>
${finishForm({ email, displayName, errors, ...target })}
</main>`,
    PASSWORD_SCRIPT.path,
  );
}

/** Shown only to somebody who has entered the code sent to this address. */
export function takenPage(step: Step): Markup {
  return layout(
    step,
    'You already have an account',
    html`<main><h1>You already have an account</h1>
<p>It uses <strong>${step.email}</strong>. Nothing was changed.</p>
<p><a href="${pathWith('/sign-in', step)}">Sign in</a>, or
<a href="${pathWith('/sign-up', step)}">use another e-mail address</a>.</p>
</main>`,
  );
}

function carried({ returnTo, inline }: Way): Record<string, string> {
  return { return_to: returnTo, ...(inline && { inline: 'true' }) };
}

function pathWith(path: string, way: Way): string {
  return `${path}?${new URLSearchParams(carried(way))}`;
}
