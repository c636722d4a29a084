import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { badge } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { changeSince } from '../../../pages/consoles/figures.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Economy } from '../views/economy.ts';
import { APP_COLUMNS, type AppRow } from '../views/economy-columns.ts';
import { periodAddress } from './period-choice.ts';

/** The columns that addresses sort by. */
const ORDERS = ['received', 'payments', 'payers', 'out', 'refunded', 'net', 'balance'] as const;

export type AppOrder = (typeof ORDERS)[number];

export function appOrderOf(name: string | undefined): AppOrder {
  return ORDERS.find((order) => order === name) ?? 'received';
}

/** Apps by one of the columns, the largest first. */
function sortedApps(apps: Economy['apps'], order: AppOrder): Economy['apps'] {
  const { value } = APP_COLUMNS[order];
  return apps.toSorted((a, b) => Number(value(b)) - Number(value(a)) || (a.name < b.name ? -1 : 1));
}

/** What an app did, below its figure. */
function aboutApp({ received, before }: AppRow, order: AppOrder, value: bigint | number | null): Markup | '' | false {
  if (!before) return false;
  if (order === 'received') return changeSince(received, before.received, 'more is good');
  return order === 'net' && value !== null && value < 0n && badge('Pays out more', 'wait');
}

/** The apps with their figures. Each heading sorts by its column. */
export function appsTable(path: string, { apps, period }: Economy, order: AppOrder): Markup {
  if (apps.length === 0) return html`<p>No app took part in this period or the one before.</p>`;
  const figures = ORDERS.map((name): ShownColumn<AppRow> => {
    const { value, ...column } = APP_COLUMNS[name];
    const sort = { href: periodAddress(path, period, { sort: name }), isCurrent: name === order };
    const shown = (app: AppRow) => {
      const figure = value(app);
      const about = aboutApp(app, name, figure);
      return about ? html`${en.number(BigInt(figure ?? 0))}<small>${about}</small>` : figure;
    };
    return { ...column, sort, value: shown };
  });
  const app = ({ appId, name }: AppRow) =>
    appId === null
      ? name
      : html`<a href="${periodAddress(`/operator/economy/apps/${appId}`, period)}"><bdi>${gameText(name, 80)}</bdi></a>`;
  return html`${dataTable(
    `Apps by ${APP_COLUMNS[order].label.toLowerCase()}, the largest first`,
    [{ ...APP_COLUMNS.app, value: app }, ...figures],
    [...sortedApps(apps, order), totalOfApps(apps)],
    { kind: 'amounts', isTotal: ({ appId }) => appId === null },
  )}
<p class="hint">Payers of several apps are counted for each of them, so they have no total. A payment that a reward pays in part takes two transfers. Net is what an app received, less its payouts and refunds.</p>`;
}

function totalOfApps(apps: Economy['apps']): AppRow {
  const sum = (of: (app: AppRow) => bigint) => apps.reduce((total, app) => total + of(app), 0n);
  return {
    ...{ appId: null, name: 'Total', payers: null, payments: Number(sum(({ payments }) => BigInt(payments))) },
    ...{ received: sum(({ received }) => received), paidOut: sum(({ paidOut }) => paidOut) },
    ...{ refunded: sum(({ refunded }) => refunded), balance: sum(({ balance }) => balance) },
  };
}
