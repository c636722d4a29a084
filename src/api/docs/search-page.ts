import { html } from 'hono/html';
import { type Entry, excerptOf, findEntries } from '../../web/assets/docs-find.js';
import type { DocsPage } from './docs-frame.ts';
import { SEARCH } from './docs-paths.ts';

const MOST_RESULTS = 40;

/** The results of a search, for readers without scripts and for addresses that are sent to others. */
export function searchPage(entries: readonly Entry[], query: string): DocsPage {
  const found = findEntries(entries, query, MOST_RESULTS);
  const summary =
    found.length === 1
      ? '1 result'
      : `${found.length === MOST_RESULTS ? 'The best ' : ''}${found.length || 'No'} results`;
  const content = html`<h1>Search</h1>
<p class="intro">${query === '' ? 'Enter a call, a field, a problem code or a word.' : html`${summary} for “${query}”.`}</p>
<ul class="results">${found.map(
    (entry) =>
      html`<li><span class="kind">${entry.kind}</span> <a href="${entry.path}"><strong>${entry.title}</strong></a>${entry.where && html` <span class="where">${entry.where}</span>`}<p>${excerptOf(entry, query)}</p></li>`,
  )}</ul>`;
  return { path: SEARCH, title: query === '' ? 'Search' : `${query} · Search`, content, query };
}
