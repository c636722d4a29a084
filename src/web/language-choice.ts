import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Languages } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { hidden } from './fields.ts';
import { icon } from './icons.ts';
import type { Markup } from './layout.ts';

/** Takes what is chosen at the foot of a page (`pages/language`). */
export const LANGUAGE_PATH = '/language';

/** The parameters that stay out of our pages, because they open more than the page. */
const SECRETS = /[?&](?:token|firebase_token|id_token_hint)=/;

/**
 * The address that shows the same page again in another language; null: there is none. The answer to a form has none, because what the page
 * shows was in the form: its language was chosen on the page before. `cleanQuery`: replaces the query with a long-lived token.
 */
export function addressOfPage(
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
  cleanQuery?: string,
): string | null {
  const [path = ''] = url.split('?', 1);
  const address = cleanQuery === undefined ? url : path + cleanQuery;
  return method === 'GET' && !SECRETS.test(address) ? address : null;
}

/**
 * In place of the address of a page that refuses: what was refused must not stand in the page. The browser says which page it was
 * (`Referer`).
 */
export const SAME_PAGE = '';

/** What a page at this address lets its reader choose from. Null: nothing. */
export function choiceAt(languages: Languages, address: string | null) {
  return address === null || languages.all.length < 2 ? undefined : { languages, address };
}

/**
 * The choice of a language, at the foot of a page. It needs no script. Each language calls itself by its own name. `address`: of the page.
 */
export function languageChoice(words: Words, { all }: Languages, address: string): Markup {
  return html`<details class="language"><summary>${icon('globe')}<span class="visually-hidden">${words.frame.language}: </span>${words.name}</summary>
<form method="post" action="${LANGUAGE_PATH}">${address !== SAME_PAGE && hidden('address', address)}${all.map(
    ({ language, name, direction }) =>
      html`<button class="small" name="language" value="${language}" lang="${language}" dir="${direction}"${language === words.language && html` aria-current="true"`}>${name}</button>`,
  )}</form></details>`;
}
