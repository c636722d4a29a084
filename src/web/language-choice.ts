import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Languages } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { hidden } from './fields.ts';
import { icon } from './icons.ts';
import type { Markup } from './layout.ts';
import { MOST_ADDRESS, parameter } from './request-parameters.ts';

/** Takes what is chosen at the foot of a page (`pages/language`). */
export const LANGUAGE_PATH = '/language';

/** The parameters that stay out of our pages, because they open more than the page. */
const SECRETS = /[?&](?:token|firebase_token|id_token_hint)=/;

/** The field of a form that does nothing but show its answer again, in another language. */
const ONLY_SHOWS = 'only_shows';

/** A form that has this page for an answer and does nothing. Its fields stay out of addresses, because they may open more than the page. */
export type AnswerAgain = { readonly action: string; readonly hidden: Readonly<Record<string, string | undefined>> };

/** What shows the same page again: its address, or a form. */
export type SamePage = string | AnswerAgain;

/** Whether the form must do nothing but show its answer again. */
export function onlyShows({ method, body }: Pick<FastifyRequest, 'method' | 'body'>): boolean {
  return method === 'POST' && parameter(body, ONLY_SHOWS) === 'true';
}

/** The address that shows the same page again; null: there is none. `cleanQuery`: replaces the query with a long-lived token. */
export function addressOfPage({ url }: Pick<FastifyRequest, 'url'>, cleanQuery?: string): string | null {
  const address = cleanQuery === undefined ? url : pathOf(url) + cleanQuery;
  return SECRETS.test(address) ? null : address;
}

/** The address of the page whose form has this answer. */
export function addressBeforeForm({ url, body }: Pick<FastifyRequest, 'url' | 'body'>): string {
  const page = parameter(body, 'page');
  if (page !== undefined) return page.length > MOST_ADDRESS || SECRETS.test(page) ? SAME_PAGE : page;
  const kept = ['return_to', 'inline', 'again', 'any'].flatMap((name) => {
    const value = parameter(body, name);
    return value === undefined || value.length > MOST_ADDRESS ? [] : [[name, value]];
  });
  return kept.length > 0 ? `${pathOf(url)}?${new URLSearchParams(kept)}` : pathOf(url);
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

/**
 * In place of the address of a page that refuses: what was refused must not stand in the page. The browser says which page it was
 * (`Referer`).
 */
export const SAME_PAGE = '';

/** What a page lets its reader choose from. Null: nothing. */
export function choiceAt(languages: Languages, samePage: SamePage | null) {
  return samePage === null || languages.all.length < 2 ? undefined : { languages, samePage };
}

/** The choice of a language, at the foot of a page. It needs no script. Each language calls itself by its own name. */
export function languageChoice(words: Words, { all }: Languages, samePage: SamePage): Markup {
  // A form that is sent on says its language itself.
  const name = typeof samePage === 'string' ? 'language' : 'locale';
  return html`<details class="language"><summary>${icon('globe')}<span class="visually-hidden">${words.frame.language}: </span>${words.name}</summary>
<form method="post" action="${LANGUAGE_PATH}">${fieldsOf(samePage)}${all.map(
    ({ language, name: ownName, direction }) =>
      html`<button class="small" name="${name}" value="${language}" lang="${language}" dir="${direction}"${language === words.language && html` aria-current="true"`}>${ownName}</button>`,
  )}</form></details>`;
}

function fieldsOf(samePage: SamePage): Markup | false {
  if (typeof samePage === 'string') return samePage !== SAME_PAGE && html`${hidden('address', samePage)}`;
  const fields = { ...samePage.hidden, locale: undefined, address: samePage.action, [ONLY_SHOWS]: 'true' };
  return html`${Object.entries(fields).map(([name, value]) => hidden(name, value))}`;
}
