import { html } from 'hono/html';
import type { Period } from '../../../economy/periods.ts';
import type { AppSums, Economy } from '../../../views/economy/economy.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { badge } from '../../consoles/console.ts';
import { consoleTable } from '../../consoles/console-table.ts';
import { change } from './change.ts';
import { periodAddress } from './period-choice.ts';

type ComparedApp = Economy['apps'][number];

/** What players paid an app, less what it paid players. */
export const netOf = ({ received, paidOut, refunded }: Pick<AppSums, 'received' | 'paidOut' | 'refunded'>): bigint =>
  received - paidOut - refunded;

/** The columns, by the names that addresses sort with. */
const COLUMNS = {
  received: { label: 'Received', value: ({ received }) => received },
  payments: { label: 'Transfers', value: ({ payments }) => BigInt(payments) },
  payers: { label: 'Payers', value: ({ payers }) => BigInt(payers) },
  out: { label: 'Payouts', value: ({ paidOut }) => paidOut },
  refunded: { label: 'Refunds', value: ({ refunded }) => refunded },
  net: { label: 'Net', value: netOf },
  balance: { label: 'Balance', value: ({ balance }) => balance },
} as const satisfies Record<string, { label: string; value: (app: AppSums) => bigint }>;

export type AppOrder = keyof typeof COLUMNS;

const SUMMED: readonly AppOrder[] = ['received', 'payments', 'out', 'refunded', 'net', 'balance'];

export function appOrderOf(name: string | undefined): AppOrder {
  return Object.hasOwn(COLUMNS, name ?? '') ? (name as AppOrder) : 'received';
}

/** Apps by one of the columns, the largest first. */
function sortedApps(apps: readonly ComparedApp[], order: AppOrder): ComparedApp[] {
  const { value } = COLUMNS[order];
  return apps.toSorted((a, b) => Number(value(b) - value(a)) || (a.name < b.name ? -1 : 1));
}

/** The apps with their figures. Each heading sorts by its column. */
export function appsTable(path: string, { apps, period }: Economy, order: AppOrder): Markup {
  if (apps.length === 0) return html`<p>No app took part in this period or the one before.</p>`;
  const columns = Object.entries(COLUMNS) as [AppOrder, (typeof COLUMNS)[AppOrder]][];
  const heading = ([name, { label }]: (typeof columns)[number]) =>
    html`<th scope="col" class="number"${name === order && html` aria-sort="descending"`}><a href="${periodAddress(path, period, { sort: name })}#apps">${label}</a></th>`;
  const total = ([name, { label, value }]: (typeof columns)[number]) =>
    SUMMED.includes(name)
      ? html`<td class="number" data-label="${label}">${words.number(apps.reduce((sum, app) => sum + value(app), 0n))}</td>`
      : html`<td class="number"></td>`;
  return html`${consoleTable(
    `Apps by ${COLUMNS[order].label.toLowerCase()}, the largest first`,
    html`<thead><tr><th scope="col">App</th>${columns.map(heading)}</tr></thead>
<tbody>${sortedApps(apps, order).map((app) => appRow(app, period, columns))}
<tr class="total"><th scope="row">Total</th>${columns.map(total)}</tr></tbody>`,
    'amounts',
  )}
<p class="hint">Payers of several apps are counted for each of them, so they have no total. A payment that a reward pays in part takes two transfers. Net is what an app received, less its payouts and refunds.</p>`;
}

function appRow(app: ComparedApp, period: Period, columns: [AppOrder, (typeof COLUMNS)[AppOrder]][]): Markup {
  const cell = ([name, { label, value }]: (typeof columns)[number]) => {
    const about =
      (name === 'received' && change(app.received, app.before.received, 'more is good')) ||
      (name === 'net' && value(app) < 0n && badge('Pays out more', 'wait'));
    return html`<td class="number" data-label="${label}">${words.number(value(app))}${about && html`<small>${about}</small>`}</td>`;
  };
  return html`<tr><th scope="row"><a href="${periodAddress(`/operator/economy/apps/${app.appId}`, period)}"><bdi>${gameText(app.name, 80)}</bdi></a></th>${columns.map(cell)}</tr>`;
}
