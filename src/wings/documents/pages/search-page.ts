import { html } from 'hono/html';
import type { Search } from '../../../web/assets/docs-find.js';
import type { DocsPage } from './docs-frame.ts';
import { SEARCH } from './docs-paths.ts';

const MOST_RESULTS = 40;

/** The results of a search, for readers without scripts and for addresses that are sent to others. */
export function searchPage(search: Search, query: string): DocsPage {
  const found = search(query, MOST_RESULTS);
  const summary =
    found.length === 1
      ? '1 result'
      : `${found.length === MOST_RESULTS ? 'The best ' : ''}${found.length || 'No'} results`;
  const content = html`<h1>Search</h1>
<p class="intro">${query === '' ? 'Enter a call, a field, a problem code or a word.' : html`${summary} for “${query}”.`}</p>
<ul class="results">${found.map(
    ({ kind, path, title, where, excerpt }) =>
      html`<li><span class="kind">${kind}</span> <a href="${path}"><strong>${title}</strong></a>${where && html` <span class="where">${where}</span>`}<p>${excerpt}</p></li>`,
  )}</ul>`;
  return { path: SEARCH, title: query === '' ? 'Search' : `${query} · Search`, content, query };
}
