import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { type Address, toChecksum } from '../../base/address.ts';
import { readableDay } from '../../base/dates.ts';
import type { Hash } from '../../base/hex.ts';
import { type Quarters, withThousands } from '../../base/quarters.ts';
import type { App } from '../../identity/apps.ts';
import { PROGRESS_SCRIPT } from '../../web/assets.ts';
import { hidden } from '../../web/fields.ts';
import { gameText } from '../../web/game-text.ts';
import { layout, type Markup, unit } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import type { Visitor } from '../../web/visitor.ts';

/** What a page's scripts need: `live`, to follow what is shown; `passkeys`, to ask for a passkey. */
type Scripts = { readonly live?: boolean; readonly passkeys?: boolean; readonly scripts?: readonly string[] };

/** Shows a page of the account, with a link back to the overview. */
export function sendAccountPage(
  reply: FastifyReply,
  title: string,
  content: Markup,
  { live = false, passkeys = false, scripts = [] }: Scripts = {},
): Promise<FastifyReply> {
  const main = html`<main><h1>${title}</h1>
${content}
<p class="back"><a href="/account">Back to your account</a></p></main>`;
  return sendPage(
    reply,
    layout({ inline: false, nav: true }, title, main, live ? PROGRESS_SCRIPT.path : undefined, ...scripts),
    { live, passkeys, script: scripts.length > 0 },
  );
}

/** A form of a signed-in user. `page`: where the user returns to after a new sign-in. */
export function form({ csrf }: Visitor, action: string, page: string, content: Markup): Markup {
  return html`<form method="post" action="${action}">${hidden('csrf', csrf)}${hidden('page', page)}
${content}
</form>`;
}

/** After a change: leads to the account, or to another page of ours, which says what was changed. */
export function changed(reply: FastifyReply, what: keyof typeof CHANGES, page = '/account'): FastifyReply {
  const { pathname, searchParams } = new URL(page, 'https://ours.example');
  searchParams.set('changed', what);
  return reply.redirect(`${pathname}?${searchParams}`, 303);
}

const CHANGES = {
  name: 'Your display name was changed.',
  email: 'Your e-mail address was changed, and you were signed out everywhere else.',
  password: 'Your password was changed, and you were signed out everywhere else.',
  passkeys: 'All passkeys were removed, and you were signed out everywhere else.',
  games: 'You were signed out of all games.',
} as const;

/** The notice of a change made a moment ago, which the parameter `changed` names. Null: there is none. */
export function noticeOf({ query }: FastifyRequest): Markup | null {
  const what = parameter(query, 'changed') ?? '';
  return Object.hasOwn(CHANGES, what)
    ? html`<p class="notice" role="status">${CHANGES[what as keyof typeof CHANGES]}</p>`
    : null;
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' });

/** `1,234 quarters`. */
export function quarters(amount: Quarters): string {
  return `${withThousands(amount)} ${unit(amount)}`;
}

export function day(date: Date): Markup {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${readableDay(date)}</time>`;
}

/** To the minute, in UTC: a page without scripts does not know the reader's time zone. */
export function moment(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${TIME.format(date)} UTC</time>`;
}

/** An app's name, in quotation marks because the game chose it. */
export function appName(app: Pick<App, 'name'> | undefined): Markup {
  return html`<bdi>“${(app && gameText(app.name, 60)) ?? 'Unnamed game'}”</bdi>`;
}

/** `2 days`, `12 hours`, `90 minutes`: in the largest unit that fits. */
export function duration(minutes: number): string {
  const [count, name] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** The block explorer's address of a transaction. Null: the operator named no explorer. `template`: `EXPLORER_URL`. */
export function transactionLink(template: string | undefined, hash: Hash): string | null {
  return template?.replace('{tx}', hash) ?? null;
}

/** Its address of an account. Explorers share `/tx/…` and `/address/…` (EIP-3091). Null: this one does not. */
export function addressLink(template: string | undefined, address: Address): string | null {
  return template?.endsWith('/tx/{tx}') ? template.replace('/tx/{tx}', `/address/${toChecksum(address)}`) : null;
}
