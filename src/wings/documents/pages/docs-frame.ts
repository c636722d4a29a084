import { html } from 'hono/html';
import { COPY_SCRIPT, DOCS_SCRIPT, DOCS_STYLE } from '../../../web/assets.ts';
import { icon } from '../../../web/icons.ts';
import { layout, type Markup, type Page } from '../../../web/layout.ts';
import { groupPath, OPERATE, PROBLEMS_PATH, REFERENCE, SEARCH, SEARCH_INDEX, START } from './docs-paths.ts';
import type { DocumentedGroup } from './documented-calls.ts';
import type { Guide } from './guides.ts';

/** One page of the documentation, without what all of them share. */
export type DocsPage = {
  readonly path: string;
  readonly title: string;
  readonly content: Markup;
  /** Its headings, for the table of contents. */
  readonly contents?: readonly { readonly id: string; readonly heading: string }[];
  /** What was searched for. */
  readonly query?: string;
};

/** All pages, for the sidebar, and what stands beside them. */
export type Shelf = {
  readonly guides: readonly Guide[];
  readonly groups: readonly DocumentedGroup[];
  /** The path of the developers' console, if there is one. */
  readonly console: string | null;
};

/** The page with the header's search, the sidebar and its table of contents. */
export function docsFrame(shelf: Shelf, { path, title, content, contents = [], query = '' }: DocsPage): Page {
  const frame = {
    inline: false,
    wide: true,
    sheet: { name: 'docs', path: DOCS_STYLE.path },
    bar: bar(query, shelf.console),
  } as const;
  return layout(
    frame,
    title,
    html`<div class="layout">
${sidebar(shelf, path)}
<main>
${content}
${nextLinks(shelf, path)}
</main>
${contents.length > 1 && html`<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${contents.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></nav>`}
</div>`,
    COPY_SCRIPT.path,
    DOCS_SCRIPT.path,
  );
}

function bar(query: string, console: string | null): Markup {
  return html`<form class="find" role="search" action="${SEARCH}" data-index="${SEARCH_INDEX}">
<label class="visually-hidden" for="docs-find">Search the documentation</label>
${icon('search')}<input id="docs-find" type="search" name="q" value="${query}" placeholder="Search" maxlength="100" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd>
</form>
<nav aria-label="Developers"><a href="${START}">${icon('book')}Docs</a>${console && html`<a href="${console}">${icon('screen')}Console</a>`}</nav>
<button type="button" class="small menu-button" popovertarget="docs-menu">${icon('list')}Menu</button>`;
}

/** On a phone the button of the header opens it (`popover`, without a script). */
function sidebar({ guides, groups }: Shelf, current: string): Markup {
  const { developer = [], operator = [] } = Object.groupBy(guides, ({ reader }) => reader);
  const link = (path: string, label: string) =>
    html`<a href="${path}"${path === current && html` aria-current="page"`}>${label}</a>`;
  const isOperators = current === OPERATE || operator.some(({ path }) => path === current);
  const calls = ({ calls }: DocumentedGroup) =>
    html`<ul>${calls.map(({ call: { operationId, summary } }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`;
  return html`<nav class="pages" id="docs-menu" popover aria-label="Documentation">
<p>${link(START, 'Start')}</p>
<details${!isOperators && html` open`}><summary>Guides</summary><ul>${developer.map(({ path, title }) => html`<li>${link(path, title)}</li>`)}</ul></details>
<details${!isOperators && html` open`}><summary>API reference</summary><ul>
<li>${link(REFERENCE, 'Overview')}</li>
${groups.map((group) => html`<li>${link(groupPath(group), group.name)}${groupPath(group) === current && calls(group)}</li>`)}
<li>${link(PROBLEMS_PATH, 'Problems')}</li>
</ul></details>
<details${isOperators && html` open`}><summary>Operate</summary><ul>
<li>${link(OPERATE, 'Overview')}</li>
${operator.map(({ path, title }) => html`<li>${link(path, title)}</li>`)}
</ul></details>
</nav>`;
}

/** The guides before and after this one, for the same reader. */
function nextLinks({ guides }: Shelf, current: string): Markup | '' {
  const at = guides.findIndex(({ path }) => path === current);
  const neighbour = (place: number) => (guides[place]?.reader === guides[at]?.reader ? guides[place] : undefined);
  if (at < 0) return '';
  const [before, after] = [neighbour(at - 1), neighbour(at + 1)];
  return html`<nav class="turn" aria-label="Other guides">${before && html`<a href="${before.path}" rel="prev">${icon('back')}${before.title}</a>`}${after && html`<a href="${after.path}" rel="next">${after.title}${icon('chevron')}</a>`}</nav>`;
}
