import { html } from 'hono/html';
import { available } from '../../../ledger/accounts.ts';
import type { AppInList, AppPage } from '../../../views/inspection/inspect-app.ts';
import { gameName } from '../../../web/game-text.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { words } from '../../../words/words.ts';
import { consoleTime } from '../../consoles/console.ts';
import { dataTable, listPager, pathTo } from '../entity-parts.ts';
import { operatorPage } from '../operator-frame.ts';
import { appBadges } from './app-badges.ts';

/** All apps, newest first. */
export function appListPage(visitor: Visitor, { apps, next }: AppPage, isFirst: boolean): Page {
  const columns = [
    { label: 'App' },
    { label: 'State' },
    { label: 'Registered' },
    { label: 'Can spend', isNumber: true },
  ] as const;
  const list =
    apps.length === 0
      ? html`<p>There is no app yet. Developers register theirs at <a href="/developer">/developer</a>.</p>`
      : dataTable('All apps, newest first', columns, apps.map(row));
  const older = next && `/operator/apps?${new URLSearchParams({ before: next })}`;
  const content = html`<section class="card">${list}${listPager(!isFirst && '/operator/apps', older)}</section>`;
  return operatorPage(visitor, 'apps', { title: 'Apps', content });
}

function row({ app, account }: AppInList): (Markup | string)[] {
  return [
    html`<a href="${pathTo('app', app.id)}"><bdi>${gameName(app.name)}</bdi></a>`,
    appBadges(app),
    consoleTime(app.createdAt),
    account ? words.number(available(account)) : '–',
  ];
}
