import { html } from 'hono/html';
import { withThousands } from '../../base/quarters.ts';
import type { Conversion, ConversionFault } from '../../features/guests/convert-guest.ts';
import { ADDRESS_SCRIPT, PASSWORD_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { hidden } from '../../web/fields.ts';
import { gameName } from '../../web/game-text.ts';
import { layout, type Markup, type Page, unit } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { cleanQueryAttribute } from '../../web/request-parameters.ts';
import { deliveryAttributes, type ResultDelivery } from '../../web/result-delivery.ts';
import { codeForms, emailForm, type FinishForm, finishForm } from '../sign-up/account-forms.ts';

/** Always laid out for a frame or a webview, as the interface's `inline=true` asks. */
const FRAME = { inline: true };

/** One step of a guest's conversion to a full account. */
export type GuestStep = {
  readonly conversion: Conversion;
  /** The page's path, to which the forms are sent. */
  readonly path: string;
  /** The sealed flow, a hidden field of the form. */
  readonly flow: string;
  /** Nobody signs in inside a frame, so there a sign-in link opens its own window. */
  readonly framed: boolean;
};

/** Explains what happens and what stays, and asks for the e-mail address. */
export function guestPage(step: GuestStep & { cleanQuery?: string | undefined; email?: string; error?: string }): Page {
  const { app, guest, address, balance } = step.conversion;
  return layout(
    FRAME,
    'Keep your account',
    html`<main${cleanQueryAttribute(step.cleanQuery)}><h1>Keep your account</h1>
<p>You’re playing <bdi>“${gameName(app.name)}”</bdi> as a guest. Add an e-mail address and a password to use this account on every
device and in every game that uses Quarters.</p>
<dl>
<div><dt>Balance</dt><dd>${withThousands(balance)} ${unit(balance)}</dd></div>
<div><dt>Account</dt><dd><code>${address.slice(0, 8)}…${address.slice(-6)}</code></dd></div>
<div><dt>Guest</dt><dd>${guest.displayName}</dd></div>
</dl>
<p class="hint">You keep your history, too. After that, the game must ask before spending your quarters.</p>
${emailForm({ ...emailTarget(step), email: step.email, error: step.error })}
</main>`,
    step.cleanQuery && ADDRESS_SCRIPT.path,
  );
}

/** `begun`: the sealed flow from before the code was sent. */
export function guestCodePage(step: GuestStep & { begun: string; email: string; error?: string }): Page {
  const { path, begun, email, error } = step;
  const again = { action: `${path}/email`, hidden: { ...carried(step.conversion, begun), email } };
  return layout(
    FRAME,
    'Your code',
    html`<main>${codeForms({ email, error, check: { action: `${path}/code`, hidden: carried(step.conversion, step.flow) }, again })}
<form method="post" action="${path}/again">${Object.entries(carried(step.conversion, begun)).map(([name, value]) => hidden(name, value))}
<button class="small">Use another e-mail address</button></form>
</main>`,
  );
}

export function guestFinishPage(step: GuestStep & Omit<FinishForm, 'action' | 'hidden'>): Page {
  const { path, email, displayName, errors } = step;
  return layout(
    FRAME,
    'Name and password',
    html`<main><h1>Name and password</h1>
<p>The game will see this name and your e-mail address, and can ask you for quarters. You can remove its access on your account page.</p>
${finishForm({ email, displayName, errors, action: `${path}/finish`, hidden: carried(step.conversion, step.flow) })}
</main>`,
    PASSWORD_SCRIPT.path,
  );
}

/** Shown only to somebody who has entered the code sent to this address. Accounts are never merged. */
export function guestTakenPage(step: GuestStep & { email: string }): Page {
  const { guest, balance } = step.conversion;
  return layout(
    FRAME,
    'This address has an account',
    html`<main><h1>This address has an account</h1>
<p><strong>${step.email}</strong> belongs to another account of yours. We cannot merge accounts, so nothing was changed:
you are still ${guest.displayName} with ${withThousands(balance)} ${unit(balance)}.</p>
<h2>What you can do</h2>
<ul>
<li>Keep playing as a guest: close this page.</li>
<li>${signInLink(step.framed, 'Sign in to the other account')}. The game keeps your guest separately.</li>
<li>Use another e-mail address for the guest:</li>
</ul>
${emailForm(emailTarget(step))}
</main>`,
  );
}

/** For somebody who returns with the token of a guest that is now a full account. */
export function alreadyFullPage(framed: boolean): Page {
  return layout(
    FRAME,
    'This guest is now a full account',
    html`<main><h1>This guest is now a full account</h1>
<p>${signInLink(framed, 'Sign in')} with its e-mail address and password, or go back to the game and sign in there.</p>
</main>`,
  );
}

/** Confirms the conversion; its script passes the code to the game, once per page view. */
export function guestDonePage(delivery: ResultDelivery): Page {
  return layout(
    FRAME,
    'Your account is ready',
    html`<main${deliveryAttributes(delivery)}>
<p class="sign approved" aria-hidden="true"></p>
<h1>Your account is ready</h1>
<p>You kept your quarters and your history. From now on, sign in with your e-mail address and password.</p>
<p class="lead">You can go back to the game.</p>
</main>`,
    RESULT_SCRIPT.path,
  );
}

/** Adds what an error page needs if the flow can no longer be read. */
function carried({ app }: Conversion, flow: string) {
  return { flow, client_id: app.id, inline: 'true' };
}

function emailTarget(step: GuestStep) {
  return { action: `${step.path}/email`, hidden: carried(step.conversion, step.flow) };
}

function signInLink(framed: boolean, words: string): Markup {
  return framed
    ? html`<a href="/sign-in" target="_blank" rel="noopener">${words}</a>`
    : html`<a href="/sign-in">${words}</a>`;
}

/** Each fault has its own page, which helps the game's developer as well as its player. */
export type PageFault =
  | Exclude<ConversionFault, 'already-full'>
  | 'no-token'
  | 'wrong-parameters'
  | 'redirect-not-registered'
  | 'no-challenge'
  | 'wrong-challenge'
  | 'state-too-long';

const GO_BACK = 'Nothing was changed: you are still a guest. Go back to the game and try again.';

export const FAULT_MESSAGES: Readonly<Record<PageFault, PageMessage>> = {
  'unknown-app': {
    status: 400,
    title: 'We don’t know this game',
    text: `The link doesn’t name a registered game (client_id). ${GO_BACK}`,
  },
  'no-token': {
    status: 400,
    title: 'The link is incomplete',
    text: `It doesn’t say which guest you are (token). ${GO_BACK}`,
  },
  'dead-token': {
    status: 401,
    title: 'This link has expired',
    text: 'Its guest key is unknown or too old. Nothing was changed. Go back to the game and try again.',
  },
  'foreign-token': {
    status: 403,
    title: 'This guest belongs to another game',
    text: 'The guest key in the link is for a different game. Nothing was changed. Open this page from the game you play as a guest.',
  },
  'page-token': {
    status: 400,
    title: 'The game sent the wrong key',
    text: `Its link has a key that only opens payments (firebase_token). This page needs the guest’s access token. ${GO_BACK}`,
  },
  'wrong-parameters': {
    status: 400,
    title: 'The game opened this page incorrectly',
    text: `Its link must include response_type=code and inline=true. ${GO_BACK}`,
  },
  'redirect-not-registered': {
    status: 400,
    title: 'The game gave a wrong address',
    text: `It asked us to send you to an address it hasn’t registered (redirect_uri), so we stopped. ${GO_BACK}`,
  },
  'no-challenge': {
    status: 400,
    title: 'The link is incomplete',
    text: `This game cannot keep a secret, so its link must include a code_challenge. ${GO_BACK}`,
  },
  'wrong-challenge': {
    status: 400,
    title: 'The game opened this page incorrectly',
    text: `The code_challenge in its link must have 43 characters and use the method S256. ${GO_BACK}`,
  },
  'state-too-long': {
    status: 400,
    title: 'The link is too long',
    text: `Its state is longer than 2000 characters. ${GO_BACK}`,
  },
};
