import { html } from 'hono/html';
import type { Flow } from '../../../economy/flows.ts';
import type { Economy } from '../../../views/economy/economy.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { consoleTable } from '../../consoles/console-table.ts';

type Column = { readonly label: string; readonly holds: (flow: Flow) => boolean; readonly sign: 1n | -1n };

const USUAL_IN: readonly Flow['kind'][] = ['payment', 'reward', 'issue'];
const USUAL_OUT: readonly Flow['kind'][] = ['payout', 'refund'];

const into = (label: string, holds: (kind: Flow['kind']) => boolean): Column => ({
  label,
  holds: ({ to, kind }) => to === 'app' && holds(kind),
  sign: 1n,
});
const outOf = (label: string, holds: (kind: Flow['kind']) => boolean): Column => ({
  label,
  holds: ({ from, kind }) => from === 'app' && holds(kind),
  sign: -1n,
});

/** What came into apps' accounts, and what left them. Each flow of an app is in one column. */
const COLUMNS: readonly Column[] = [
  into('Payments', (kind) => kind === 'payment'),
  into('Rewards', (kind) => kind === 'reward'),
  into('Issued', (kind) => kind === 'issue'),
  into('Other in', (kind) => !USUAL_IN.includes(kind)),
  outOf('Payouts', (kind) => kind === 'payout'),
  outOf('Refunds', (kind) => kind === 'refund'),
  outOf('Other out', (kind) => !USUAL_OUT.includes(kind)),
];

export type AppFlowRow = { readonly name: string; readonly amounts: readonly bigint[]; readonly net: bigint };

/** A row for each app with flows, and one with their sums. */
export function appFlowRows({ sums, apps }: Pick<Economy, 'sums' | 'apps'>): AppFlowRow[] {
  const rowOf = (name: string, flows: readonly Flow[]): AppFlowRow => {
    const amounts = COLUMNS.map(({ holds }) => flows.filter(holds).reduce((sum, { amount }) => sum + amount, 0n));
    return { name, amounts, net: amounts.reduce((sum, amount, i) => sum + COLUMNS[i]!.sign * amount, 0n) };
  };
  const flows = Map.groupBy(sums.flows, ({ appId }) => appId);
  const rows = apps.flatMap(({ appId, name }) => (flows.has(appId) ? [rowOf(name, flows.get(appId)!)] : []));
  return [
    ...rows,
    rowOf(
      'Total',
      sums.flows.filter(({ appId }) => appId !== null),
    ),
  ];
}

/** Sources and sinks by app. */
export function appFlowsTable(economy: Economy): Markup {
  const rows = appFlowRows(economy);
  if (rows.length === 1) return html`<p>Nothing moved into or out of apps’ accounts.</p>`;
  const row = ({ name, amounts, net }: AppFlowRow, i: number) =>
    html`<tr${i === rows.length - 1 && html` class="total"`}><th scope="row"><bdi>${gameText(name, 80)}</bdi></th>${amounts.map((amount, column) => html`<td class="number" data-label="${COLUMNS[column]!.label}">${words.number(amount)}</td>`)}<td class="number" data-label="Change">${words.number(net)}</td></tr>`;
  return consoleTable(
    'What came into each app’s account, and what left it',
    html`<thead><tr><th scope="col">App</th>${COLUMNS.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}<th scope="col" class="number">Change</th></tr></thead>
<tbody>${rows.map(row)}</tbody>`,
    'amounts',
  );
}
