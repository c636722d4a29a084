import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { type Address, toChecksum } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { App } from '../../identity/apps.ts';
import type { Service } from '../../service/service.ts';
import { isFrozen } from '../../service/stopped.ts';
import { LOCAL_TIME_SCRIPT, PROGRESS_SCRIPT } from '../../web/assets.ts';
import { quoted } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { icon } from '../../web/icons.ts';
import type { AnswerAgain } from '../../web/language-choice.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import type { Visitor } from '../../web/visitor.ts';
import { whomToAsk } from '../../web/whom-to-ask.ts';
import { hoursOrMinutes, type Words } from '../../words/words.ts';

/** What a page's scripts need: `live`, to follow what is shown; `times`, to show moments; `passkeys`, to ask for a passkey. */
type Scripts = {
  readonly live?: boolean;
  readonly times?: boolean;
  readonly passkeys?: boolean;
  readonly scripts?: readonly string[];
  /** Shows the answer to a form again (`PageHeaders`). */
  readonly again?: AnswerAgain;
};

/** Shows a page of the account: cards under a link back to the overview. */
export function sendAccountPage(
  reply: FastifyReply,
  title: string,
  cards: Markup,
  options: Scripts = {},
): Promise<FastifyReply> {
  const main = html`<main class="account">
<p class="back"><a href="/account">${icon('back')}${reply.request.words.account.back}</a></p>
<h1>${title}</h1>
${cards}
</main>`;
  return sendInAccount(reply, title, main, options);
}

/** Shows any page of the account, with its headers and scripts. */
export function sendInAccount(
  reply: FastifyReply,
  title: string,
  main: Markup,
  { live = false, times = false, passkeys = false, scripts = [], again }: Scripts,
): Promise<FastifyReply> {
  const paths = [live && PROGRESS_SCRIPT.path, times && LOCAL_TIME_SCRIPT.path, ...scripts].filter((path) => !!path);
  return sendPage(reply, layout({ inline: false, nav: true, wide: true }, title, main, ...(paths as string[])), {
    live,
    passkeys,
    script: paths.length > 0,
    again,
  });
}

/** A section of a page on a surface of its own. */
export function card(content: Markup | string, heading?: string): Markup {
  return html`<section class="card">${heading !== undefined && html`<h2>${heading}</h2>`}
${content}
</section>`;
}

/** Says that the account is frozen, what that means, and whom to ask. */
export function frozenNotice(reply: FastifyReply): Markup {
  const { words } = reply.request;
  const { title, limits, rest } = words.stopped.account;
  return html`<section class="notice bad" aria-labelledby="frozen"><h2 id="frozen">${title}</h2>
<p>${limits}</p>
<p>${rest}${words.gap}${whomToAsk(words, reply.server.shell)}</p></section>`;
}

type VisitorHandler = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => Promise<unknown>;

/** A page that shows nothing but the notice to a frozen user. What it changes is refused in the transaction of the change, too. */
export function unlessFrozen(
  service: Pick<Service, 'db'>,
  page: 'closing' | 'emailChange' | 'passwordChange' | 'withdrawals',
  handler: VisitorHandler,
): VisitorHandler {
  return async (request, reply, visitor) =>
    (await isFrozen(service, visitor.user.id))
      ? sendAccountPage(reply.code(403), request.words.account[page].title, frozenNotice(reply))
      : handler(request, reply, visitor);
}

/** A form of a signed-in user. `page`: where the user returns to after a new sign-in. */
export function form({ csrf }: Visitor, action: string, page: string, content: Markup): Markup {
  return html`<form method="post" action="${action}">${hidden('csrf', csrf)}${hidden('page', page)}
${content}
</form>`;
}

/** After a change: leads to the account, or to another page of ours, which says what was changed. */
export function changed(reply: FastifyReply, what: keyof Words['account']['changed'], page = '/account'): FastifyReply {
  const { pathname, searchParams } = new URL(page, 'https://ours.example');
  searchParams.set('changed', what);
  return reply.redirect(`${pathname}?${searchParams}`, 303);
}

/** The notice of a change made a moment ago, which the parameter `changed` names. Null: there is none. */
export function noticeOf(request: FastifyRequest): Markup | null {
  const what = parameter(request.query, 'changed') ?? '';
  const { changed } = request.words.account;
  return Object.hasOwn(changed, what)
    ? html`<p class="notice good" role="status">${changed[what as keyof typeof changed]}</p>`
    : null;
}

/** To the day. The script `local-time.js` shows the reader's own, without scripts it is the day in UTC. */
export function day(words: Words, date: Date): Markup {
  return html`<time datetime="${date.toISOString()}" data-day>${words.day(date)}</time>`;
}

/** To the minute, in UTC. The script `local-time.js` shows it in the reader's time zone. */
export function moment(words: Words, date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${words.moment(date)}</time>`;
}

/** An app's name, in quotation marks because the game chose it. */
export function appName(words: Words, app: Pick<App, 'name'> | undefined): Markup {
  return quoted(words, app?.name ?? '');
}

/** `2 days`, `12 hours`, `90 minutes`: in the largest unit that fits. */
export function duration(words: Words, minutes: number): string {
  return minutes % 1440 === 0 ? words.account.duration(minutes / 1440, 'day') : hoursOrMinutes(words, minutes);
}

/** The block explorer's address of a transaction. Null: the operator named no explorer. `template`: `EXPLORER_URL`. */
export function transactionLink(template: string | undefined, hash: Hash): string | null {
  return template?.replace('{tx}', hash) ?? null;
}

/** Its address of an account. Explorers share `/tx/…` and `/address/…` (EIP-3091). Null: this one does not. */
export function addressLink(template: string | undefined, address: Address): string | null {
  return template?.endsWith('/tx/{tx}') ? template.replace('/tx/{tx}', `/address/${toChecksum(address)}`) : null;
}
