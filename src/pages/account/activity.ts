import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { appIdFrom, requestIdFrom, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type App, lookUpApp } from '../../identity/apps.ts';
import { findRequests } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { type ActivityPage, readActivity } from '../../views/accounts/read-activity.ts';
import type { ActivitySearch } from '../../views/accounts/search-activity.ts';
import { activityCursor, activityCursorText } from '../../web/activity-cursor.ts';
import { hidden } from '../../web/fields.ts';
import { icon } from '../../web/icons.ts';
import type { Markup } from '../../web/layout.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import { parameter } from '../../web/request-parameters.ts';
import { isStillSignedIn, readVisitor, signedIn } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { appName, card, sendAccountPage } from './account-frame.ts';
import { activityList, onTheirWay, PROGRESS_PATH } from './activity-list.ts';

const PATH = '/account/activity';
const PER_PAGE = 20;
const MAX_TEXT = 100;

/**
 * GET /account/activity: entries, newest first. `q`, `show` and `app` search and filter, and stay from page to page. `before`: the
 * cursor at the end of the previous page.
 */
export function activityRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (request, reply, { user }) => {
      const { words } = request;
      const says = words.activity;
      const before = parameter(request.query, 'before');
      const search = searchOf(request.query);
      const cursor = before === undefined ? undefined : activityCursor(before);
      const [page, app] = await Promise.all([
        readActivity(service, user, PER_PAGE, cursor, search),
        search.appId && lookUpApp(service.db, search.appId),
      ]);
      const content = html`${searchForm(words, search)}
${filters(words, search, app || null)}
${results(words, service, page, search)}
${pager(words, search, before !== undefined, page)}
${page.archived && user.createdAt < page.archived && html`<p class="hint">${says.archived(words.day(page.archived))}</p>`}`;
      return sendAccountPage(
        reply,
        says.title,
        html`${card(content)}
<p><a href="/account/export.csv">${says.download}</a></p>`,
        { live: onTheirWay(page.activities).length > 0, times: true },
      );
    }),
  );
}

const KINDS = ['payments', 'received', 'waiting', 'failed'] as const;

/** What a visitor asks for. Unknown values count as missing, since an address may be typed. */
function searchOf(query: unknown): ActivitySearch {
  const show = parameter(query, 'show');
  const app = parameter(query, 'app') ?? '';
  const text = (parameter(query, 'q') ?? '').toWellFormed().replace(/\p{Cc}+/gu, ' ');
  return {
    kind: KINDS.find((kind) => kind === show),
    appId: appIdFrom(app) ?? undefined,
    text: text.trim().slice(0, MAX_TEXT) || undefined,
  };
}

function addressOf({ kind, appId, text }: ActivitySearch, before?: string): string {
  const given = Object.entries({ q: text, show: kind, app: appId, before }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? PATH : `${PATH}?${new URLSearchParams(given as [string, string][])}`;
}

function searchForm({ activity: says }: Words, { kind, appId, text }: ActivitySearch): Markup {
  return html`<form method="get" action="${PATH}" role="search" class="search">
${hidden('show', kind)}${hidden('app', appId)}
<label class="visually-hidden" for="q">${says.search}</label>
<input id="q" type="search" name="q" value="${text ?? ''}" maxlength="${MAX_TEXT}" placeholder="${says.searchHint}">
<button class="secondary">${icon('search')}<span class="visually-hidden">${says.search}</span></button>
</form>`;
}

function filters(words: Words, search: ActivitySearch, app: App | null): Markup {
  const says = words.activity;
  const chip = (label: Markup | string, kind: ActivitySearch['kind']) =>
    html`<a href="${addressOf({ ...search, kind })}"${search.kind === kind && html` aria-current="true"`}>${label}</a>`;
  return html`<nav class="chips" aria-label="${says.filter}">${chip(says.kinds.all, undefined)}${KINDS.map((kind) => chip(says.kinds[kind], kind))}${
    app &&
    html`<a href="${addressOf({ ...search, appId: undefined })}" aria-current="true">${says.onlyGame(appName(words, app))} ×</a>`
  }</nav>`;
}

function results(
  words: Words,
  { settings }: Service,
  { activities, next }: ActivityPage,
  search: ActivitySearch,
): Markup {
  const says = words.activity;
  if (activities.length > 0 || addressOf(search) === PATH) return activityList(words, settings, activities);
  return html`<p>${next ? says.nothingFoundSoFar : says.nothingFound}</p>
<p><a href="${PATH}">${says.clear}</a></p>`;
}

function pager(
  { activity: says }: Words,
  search: ActivitySearch,
  isLater: boolean,
  { next }: ActivityPage,
): Markup | '' {
  const newest = isLater && html`<a href="${addressOf(search)}">${says.newest}</a>`;
  const older = next && html`<a href="${addressOf(search, activityCursorText(next))}" rel="next">${says.older}</a>`;
  return newest || older ? html`<p class="pager">${newest} ${older}</p>` : '';
}

/** The most that a page shows. */
const MOST = 20;
const REQUEST_IDS = new RegExp(`^(${UUID_PATTERN.slice(1, -1)}(,(?!$)|$)){1,${MOST}}$`);

/** GET /account/progress: the state of the user's requests that a page shows as in progress, all in one stream. */
export function activityProgressRoute(pages: FastifyInstance, service: Service, streams: ProgressStreams): void {
  pages.get(PROGRESS_PATH, async (request, reply) => {
    const named = parameter(request.query, 'requests') ?? '';
    const visitor = REQUEST_IDS.test(named) ? await readVisitor(service, request) : null;
    const noSuch = new Problem('not-found', 'There are no such requests.');
    if (!visitor) throw noSuch;
    const ids = [...new Set(named.split(',').flatMap((id) => requestIdFrom(id) ?? []))];
    const own = (await findRequests(service.db, ids)).filter(({ userId }) => userId === visitor.user.id);
    if (own.length < ids.length) throw noSuch;
    return streams.answer(request, reply, ids, {
      caller: visitor.user.id,
      maySee: () => isStillSignedIn(service, visitor.session),
    });
  });
}
