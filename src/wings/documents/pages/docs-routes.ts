import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { lazily } from '../../../base/lazily.ts';
import { Problem } from '../../../base/problems.ts';
import type { Service } from '../../../service/service.ts';
import { openSearch, type Search } from '../../../web/assets/docs-find.js';
import { pageHeaders, sendPage } from '../../../web/send-page.ts';
import { renderPage } from '../../../web/shell.ts';
import { type CachedAnswer, cachedAnswer, sendCached } from './cached-page.ts';
import { type DocsPage, docsFrame } from './docs-frame.ts';
import { OPERATE, REFERENCE, SEARCH, SEARCH_INDEX, START } from './docs-paths.ts';
import { openDocs } from './docs-site.ts';
import { readPictures } from './guides.ts';

/** `live`: the search reads its index. */
const HEADERS = { script: true, live: true } as const;
/** A picture has styles of its own, and loads nothing. */
const PICTURE_HEADERS = { 'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; sandbox` };
const MOST_CHARACTERS = 100;
const MOST_RESULTS = 40;

/**
 * The documentation for people: guides, reference and search. The pages are the same for everybody, so each is rendered once and
 * then sent from memory. All of it is made when somebody first asks.
 */
export function docsRoutes(app: FastifyInstance, service: Service): void {
  const { apiDescription: document } = app;
  const open = lazily(() => openDocs(service, document));
  const made = new Map<string, CachedAnswer>();

  const pageAt = async (path: string): Promise<CachedAnswer> => {
    const known = made.get(path);
    if (known) return known;
    const { pages, shelf } = await open();
    const page = pages.get(path);
    if (!page) throw new Problem('not-found', 'There is nothing at this address.');
    const text = String(
      await renderPage(app.shell, docsFrame(shelf, page), { words: en, framed: false, runsScripts: true }),
    );
    const answer = cachedAnswer('text/html; charset=utf-8', text);
    made.set(path, answer);
    return answer;
  };
  for (const [path, picture] of readPictures()) {
    const answer = cachedAnswer('image/svg+xml', picture);
    app.get(path, (request, reply) => sendCached(request, reply, answer, PICTURE_HEADERS));
  }
  const search = lazily(async () => openSearch((await open()).entries));
  const index = lazily(async () =>
    cachedAnswer('application/json; charset=utf-8', JSON.stringify((await open()).entries)),
  );

  const routes: [route: string, folder: string][] = [
    [START, START],
    ['/docs/guides/:name', '/docs/guides'],
    [OPERATE, OPERATE],
    [`${OPERATE}/:name`, OPERATE],
    [REFERENCE, REFERENCE],
    [`${REFERENCE}/:name`, REFERENCE],
  ];
  for (const [route, folder] of routes) {
    app.get(route, async (request, reply) => {
      const { name } = request.params as { name?: string };
      return sendCached(
        request,
        reply,
        await pageAt(name === undefined ? folder : `${folder}/${name}`),
        pageHeaders(HEADERS),
      );
    });
  }
  app.get(SEARCH_INDEX, async (request, reply) => sendCached(request, reply, await index()));
  app.get(SEARCH, async (request, reply) => {
    const { q } = request.query as { q?: unknown };
    const query = typeof q === 'string' ? q.slice(0, MOST_CHARACTERS).trim() : '';
    const { shelf } = await open();
    return sendPage(reply, docsFrame(shelf, searchPage(await search(), query)), HEADERS);
  });
}

/** The results of a search, for readers without scripts and for addresses that are sent to others. */
function searchPage(search: Search, query: string): DocsPage {
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
