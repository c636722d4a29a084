import { html } from 'hono/html';
import { available } from '../../../../ledger/accounts.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { appLink } from '../../../../pages/consoles/entity-parts.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { pager } from '../../../../pages/consoles/pager.ts';
import { DEVELOPERS_CONSOLE } from '../../../../service/console-path.ts';
import type { House } from '../../../../service/house.ts';
import { LISTED_APP_COLUMNS } from '../../../../views/apps/app-columns.ts';
import type { Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import type { AppPage } from '../../views/inspect-app.ts';
import { appBadges } from './app-badges.ts';

/** All apps, newest first. */
export function appListPage(house: House, visitor: Visitor, { apps, next }: AppPage, isFirst: boolean): Page {
  const rows = apps.map(({ app, account }) => ({ app, balance: account && available(account) }));
  const { app, registered, canSpend } = LISTED_APP_COLUMNS;
  const columns: ShownColumn<(typeof rows)[number]>[] = [
    { ...app, value: (row) => appLink(row.app.id, row.app.name) },
    { label: 'State', value: (row) => appBadges(row.app) },
    ...[registered, canSpend],
  ];
  const list =
    apps.length === 0
      ? html`<p>There is no app yet.${house.of(DEVELOPERS_CONSOLE).map((path) => html` Developers register theirs at <a href="${path}">${path}</a>.`)}</p>`
      : dataTable('All apps, newest first', columns, rows);
  const older = next && `/operator/apps?${new URLSearchParams({ before: next })}`;
  const content = html`<section class="card">${list}${pager(!isFirst && '/operator/apps', older)}</section>`;
  return operatorPage(visitor, 'apps', { title: 'Apps', content });
}
