import { html } from 'hono/html';
import type { Conversion } from '../../features/guests/convert-guest.ts';
import { ADDRESS_SCRIPT, PASSKEY_SCRIPT, PASSWORD_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { quoted } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { icon } from '../../web/icons.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { pageHead } from '../../web/page-head.ts';
import { cleanQueryAttribute } from '../../web/request-parameters.ts';
import { afterSending, deliveryAttributes, type ResultDelivery, wayBackOf } from '../../web/result-delivery.ts';
import type { Words } from '../../words/words.ts';
import { type CodeForm, codeForms, emailForm, type FinishForm, finishForm } from '../sign-up/account-forms.ts';

/** Always laid out for a frame or a webview, as the interface's `inline=true` asks. */
export const FRAME = { inline: true };

/** One step of a guest's conversion to a full account. */
export type GuestStep = {
  readonly conversion: Conversion;
  /** The page's path, to which the forms are sent. */
  readonly path: string;
  /** The sealed flow, a hidden field of the form. */
  readonly flow: string;
  /** The code goes to the game's address, not to a message. */
  readonly redirects: boolean;
  /** Nobody signs in inside a frame, so there a sign-in link opens its own window. */
  readonly framed: boolean;
  /** The service's name. */
  readonly brand: string;
  readonly words: Words;
  /** Where the mail with the code is, if it is not sent. */
  readonly mailFolder: string | null;
};

/** Explains what happens and what stays, and asks for the e-mail address. */
export function guestPage(step: GuestStep & { cleanQuery?: string | undefined; email?: string; error?: string }): Page {
  const { words } = step;
  const texts = words.guest;
  const { app, guest, address, balance } = step.conversion;
  return layout(
    FRAME,
    texts.title,
    html`<main${cleanQueryAttribute(step.cleanQuery)}>${pageHead(words, texts.title, { step: [1, 3] })}
<p>${texts.lead(quoted(words, app.name), step.brand)}</p>
<dl>
<div><dt>${texts.balance}</dt><dd>${words.quarters(balance)}</dd></div>
<div><dt>${texts.account}</dt><dd><code>${address.slice(0, 8)}…${address.slice(-6)}</code></dd></div>
<div><dt>${texts.guest}</dt><dd>${guest.displayName}</dd></div>
</dl>
<p class="hint">${texts.kept}</p>
${emailForm(words, { ...targetOfStep(step, 'email'), email: step.email, error: step.error })}
</main>`,
    step.cleanQuery && ADDRESS_SCRIPT.path,
  );
}

/** `begun`: the sealed flow from before the code was sent. */
export function guestCodePage(
  step: GuestStep & { begun: string; email: string } & Pick<CodeForm, 'error' | 'isRefused'>,
): Page {
  const { path, begun, email, mailFolder, error, isRefused, words } = step;
  const again = { action: `${path}/email`, hidden: { ...carried(step.conversion, begun), email, sent: step.flow } };
  return layout(
    FRAME,
    words.signUp.codeTitle,
    html`<main>${codeForms(words, { email, error, isRefused, mailFolder, check: targetOfStep(step, 'code'), again })}
<form class="aside" method="post" action="${path}/again">${Object.entries(carried(step.conversion, begun)).map(([name, value]) => hidden(name, value))}
<button class="link">${words.signUp.otherEmail}</button></form>
</main>`,
  );
}

type FinishStep = GuestStep &
  Pick<FinishForm, 'email' | 'displayName'> & { readonly errors: FinishForm['errors'] & { readonly passkey?: string } };

/** Asks for a name and what opens the account. No passkey is offered in a frame, because browsers make none there. */
export function guestFinishPage(step: FinishStep): Page {
  const { path, email, displayName, errors, framed, words } = step;
  const form = { ...targetOfStep(step, 'finish'), id: FINISH_FORM };
  return layout(
    FRAME,
    words.signUp.finishTitle,
    html`<main>${pageHead(words, words.signUp.finishTitle, { step: [3, 3] })}
<p>${words.guest.finishText}</p>
${finishForm(words, { ...form, email, displayName, errors, after: html`${!framed && PASSKEY_FIELD}${step.redirects && afterSending(words, step.conversion.app, words.messages.continueInGame)}` })}
${!framed && passkeyInstead(words, path, errors.passkey)}
</main>`,
    PASSWORD_SCRIPT.path,
    framed ? undefined : PASSKEY_SCRIPT.path,
  );
}

const FINISH_FORM = 'finish';
/** The script of {@link passkeyInstead} fills it in. */
const PASSKEY_FIELD = hidden('passkey', '');

/** Makes a passkey and sends the form above with it. Stays hidden in a browser without scripts or passkeys. */
function passkeyInstead(words: Words, path: string, error: string | undefined): Markup {
  return html`<form id="passkey" data-passkey="make" data-proves="${FINISH_FORM}" data-options="${path}/passkey" hidden>
<button class="secondary">${icon('fingerprint')}${words.guest.passkey}</button>
<p class="hint">${words.account.passkeyList.intro}</p>
<p class="error" role="alert"${!error && html` hidden`}>${error}</p>
</form>`;
}

/** For somebody who returns with the token of a guest that is now a full account, or was merged into one. */
export function noGuestPage(words: Words, why: keyof Words['guest']['noGuest'], framed: boolean): Page {
  const { title, text } = words.guest.noGuest[why];
  return layout(
    FRAME,
    title,
    html`<main>${pageHead(words, title, { sign: 'person' })}
<p>${text}</p>
<p class="actions"><a class="primary" href="/sign-in"${framed && html` target="_blank" rel="noopener"`}>${words.signIn.submit}</a></p>
</main>`,
  );
}

/** What the last page says: the guest is a full user now, or was merged into one. */
export type DoneWords = { readonly title: string; readonly text: string };

/** Its script passes the code to the game, once per page view. */
export function guestDonePage(words: Words, delivery: ResultDelivery, { title, text }: DoneWords): Page {
  return layout(
    FRAME,
    title,
    html`<main${deliveryAttributes(delivery)}>
<p class="sign approved" aria-hidden="true">${icon('check')}</p>
<h1>${title}</h1>
<p>${text}</p>
${wayBackOf(words, { ...delivery, redirect: undefined })}
</main>`,
    RESULT_SCRIPT.path,
  );
}

/** Adds what an error page needs if the flow can no longer be read. */
function carried({ app }: Conversion, flow: string) {
  return { flow, client_id: app.id, inline: 'true' };
}

/** A form of this step. */
export function targetOfStep(step: GuestStep, name: 'email' | 'again' | 'code' | 'finish') {
  return { action: `${step.path}/${name}`, hidden: carried(step.conversion, step.flow) };
}

/** Each fault has its own page, which helps the game's developer as well as its player. */
export type PageFault = keyof Words['guest']['faults'];

const STATUSES: Readonly<Partial<Record<PageFault, number>>> = {
  'dead-token': 401,
  'foreign-token': 403,
  'app-suspended': 403,
};

export function faultMessage({ guest: texts, gap }: Words, fault: PageFault): PageMessage {
  const { title, text } = texts.faults[fault];
  const status = STATUSES[fault];
  return {
    status: status ?? 400,
    title,
    text: status ? text : `${text}${gap}${texts.stillGuest}`,
    ...(fault === 'app-suspended' && { help: true }),
  };
}
