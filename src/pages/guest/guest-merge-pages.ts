import { html } from 'hono/html';
import type { Conversion } from '../../features/guests/convert-guest.ts';
import { SCOPES } from '../../identity/callers.ts';
import { OWN_WINDOW_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { branding, quoted } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { FIRST_WINDOW_PATH } from '../../web/own-window.ts';
import { pageHead } from '../../web/page-head.ts';
import { afterSending, audienceAttributes } from '../../web/result-delivery.ts';
import { shownEmail } from '../../web/shown-email.ts';
import type { Visitor } from '../../web/visitor.ts';
import { backTo } from '../../web/way-back.ts';
import type { Words } from '../../words/words.ts';
import { scopeList } from '../oauth/consent.ts';
import { emailForm } from '../sign-up/account-forms.ts';
import { FRAME, type GuestStep, targetOfStep } from './guest-pages.ts';

/** Where the owner of a proved e-mail address goes on: in this page, in our own window above a frame, or in the whole tab below it. */
export type MergePaths = { readonly mergePath: string; readonly windowPath: string; readonly tabPath: string };

export type TakenPage = GuestStep & MergePaths & { readonly email: string; readonly frameId: string | undefined };

/** Shown only to somebody who has entered the code sent to this address. In a frame, its button opens our own window. */
export function guestTakenPage(step: TakenPage): Page {
  const { conversion, framed, email, frameId, brand, words } = step;
  const texts = words.guest;
  const { app, guest, balance } = conversion;
  return layout(
    FRAME,
    texts.takenTitle,
    html`<main${framed && html`${audienceAttributes(app, frameId)} data-first="${FIRST_WINDOW_PATH}"`}>${pageHead(words, texts.takenTitle, { sign: 'person' })}
<p${framed && html` role="status"`}>${texts.taken(html`<strong>${shownEmail(email)}</strong>`)}${balance > 0n && `${words.gap}${texts.canMove(words.quarters(balance))}`}${framed && html`${words.gap}${words.ownWindow.why(brand)}`}</p>
${framed && html`<p class="actions leave" data-back hidden><a class="primary">${backTo(words, app)}</a></p>`}
<div data-open>
${mergeLink(step, balance > 0n ? texts.signInAndMove : texts.signInToIt)}
<h2>${texts.orElse}</h2>
<p>${texts.keepPlaying(guest.displayName)}</p>
<p>${texts.otherEmail}</p>
${emailForm(words, { ...targetOfStep(step, 'email'), isSecond: true })}
</div>
</main>`,
    ...(framed ? [RESULT_SCRIPT.path, OWN_WINDOW_SCRIPT.path] : []),
  );
}

function mergeLink({ framed, mergePath, windowPath, tabPath, words: { ownWindow } }: TakenPage, says: string): Markup {
  if (!framed) return html`<p class="actions"><a class="primary" href="${mergePath}">${says}</a></p>`;
  return html`<div class="actions"><a class="primary" href="${windowPath}" target="_blank" rel="opener">${says}</a>
<p class="notice" data-refused hidden>${ownWindow.refused(html`<a href="${tabPath}" target="_top">${ownWindow.thisTab}</a>`)}</p></div>`;
}

export type GuestMergePage = {
  readonly conversion: Conversion;
  readonly visitor: Visitor;
  readonly action: string;
  /** The sealed flow. */
  readonly flow: string;
  /** The address of this page, for a sign-in in between. */
  readonly page: string;
  /** The form's answer leads to the game's address. */
  readonly redirects: boolean;
};

/** Asks the owner of both once, with all that follows. */
export function guestMergePage(
  words: Words,
  { conversion, visitor, action, flow, page, redirects }: GuestMergePage,
): Page {
  const { app, guest, balance } = conversion;
  const { user, csrf } = visitor;
  const has = balance > 0n;
  const [amount, game] = [words.quarters(balance), quoted(words, app.name)];
  const says = words.guest.merge;
  return layout(
    { inline: false },
    says.title,
    html`<main>
${branding(words, app)}
<h1>${has ? says.asks(amount) : says.asksEmpty}</h1>
<p>${has ? says.lead(amount, game) : says.leadEmpty(game)}</p>
<p class="hint">${says.ends}</p>
<p>${says.can(game)}</p>
${scopeList(words, SCOPES)}
<dl>
<div><dt>${says.from}</dt><dd>${guest.displayName}</dd></div>
<div><dt>${says.to}</dt><dd><bdi>${user.displayName}</bdi> (${shownEmail(user.email)})</dd></div>
</dl>
<form method="post" action="${action}">
${hidden('csrf', csrf)}${hidden('page', page)}${hidden('flow', flow)}
<button class="primary">${has ? says.submit : says.submitEmpty}</button>
${redirects && afterSending(words, app, words.messages.continueInGame)}
</form>
<p class="hint">${says.final}</p>
</main>`,
  );
}

/** For somebody who is signed in to another account than the proved address has. */
export function otherAccountPage(words: Words, signedInAs: string, proved: string): Page {
  const { title, text } = words.guest.otherAccount;
  const [other, own] = [signedInAs, proved].map((email) => html`<strong>${shownEmail(email)}</strong>`);
  return layout(
    { inline: false },
    title,
    html`<main>${pageHead(words, title, { sign: 'person' })}
<p>${text(other!, own!)}</p>
<p class="actions"><a class="primary" href="/sign-out">${words.signOut.submit}</a></p>
</main>`,
  );
}
