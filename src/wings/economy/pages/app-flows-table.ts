import { html } from 'hono/html';
import type { Flow } from '../../../ledger/flows.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Economy } from '../views/economy.ts';

type AppFlow = { readonly label: string; readonly holds: (flow: Flow) => boolean; readonly sign: 1n | -1n };

/** Kinds with a column of their own. */
const COLUMN_KINDS_IN: readonly Flow['kind'][] = ['payment', 'reward', 'issue'];
const COLUMN_KINDS_OUT: readonly Flow['kind'][] = ['payout', 'refund'];

const flow = (label: string, sign: AppFlow['sign'], holds: (kind: Flow['kind']) => boolean): AppFlow => ({
  ...{ label, sign },
  holds: ({ from, to, kind }) => (sign === 1n ? to : from) === 'app' && holds(kind),
});

/** What came into apps' accounts, and what left them. Each flow of an app is in one column. */
const APP_FLOWS: readonly AppFlow[] = [
  flow('Payments', 1n, (kind) => kind === 'payment'),
  flow('Rewards', 1n, (kind) => kind === 'reward'),
  flow('Issued', 1n, (kind) => kind === 'issue'),
  flow('Other in', 1n, (kind) => !COLUMN_KINDS_IN.includes(kind)),
  flow('Payouts', -1n, (kind) => kind === 'payout'),
  flow('Refunds', -1n, (kind) => kind === 'refund'),
  flow('Other out', -1n, (kind) => !COLUMN_KINDS_OUT.includes(kind)),
];

export type AppFlowRow = { readonly name: string; readonly amounts: readonly bigint[]; readonly net: bigint };

/** A row for each app with flows, and one with their sums. */
export function appFlowRows({ sums, apps }: Pick<Economy, 'sums' | 'apps'>): AppFlowRow[] {
  const rowOf = (name: string, flows: readonly Flow[]): AppFlowRow => {
    const amounts = APP_FLOWS.map(({ holds }) => flows.filter(holds).reduce((sum, { amount }) => sum + amount, 0n));
    return { name, amounts, net: amounts.reduce((sum, amount, i) => sum + APP_FLOWS[i]!.sign * amount, 0n) };
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
  const columns: ShownColumn<AppFlowRow>[] = [
    { label: 'App', value: ({ name }) => html`<bdi>${gameText(name, 80)}</bdi>` },
    ...APP_FLOWS.map(
      ({ label }, i): ShownColumn<AppFlowRow> => ({ label, kind: 'number', value: ({ amounts }) => amounts[i]! }),
    ),
    { label: 'Change', kind: 'number', value: ({ net }) => net },
  ];
  return dataTable('What came into each app’s account, and what left it', columns, rows, {
    kind: 'amounts',
    isTotal: (row) => row === rows.at(-1),
  });
}
