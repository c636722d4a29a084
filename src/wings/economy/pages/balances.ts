import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { fileColumns, numberColumn } from '../../../base/columns.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { percentText } from '../../../pages/consoles/figures.ts';
import type { Markup } from '../../../web/layout.ts';
import { percentOf } from '../base/percent.ts';
import type { BalanceBucket } from '../store/days.ts';
import type { Economy } from '../views/economy.ts';
import { utcMoment } from './period-words.ts';

/** Players with about as many quarters; or the sum. `to`: null without an end. */
type BalanceRow = Omit<BalanceBucket, 'from'> & { readonly from: bigint | null; readonly to: bigint | null };

export function balanceRows({ distribution }: Pick<Economy, 'distribution'>): BalanceRow[] {
  return (distribution ?? []).map((bucket, i, all) => {
    const next = all[i + 1];
    return { ...bucket, to: next ? next.from - 1n : null };
  });
}

const ACCOUNTS = numberColumn('players', 'Players', ({ accounts }: BalanceRow) => accounts);
const QUARTERS = numberColumn('together (quarters)', 'Quarters', ({ quarters }: BalanceRow) => quarters);

export const BALANCE_COLUMNS = [
  ...fileColumns<BalanceRow>({ 'balance from (quarters)': ({ from }) => from, 'to (quarters)': ({ to }) => to }),
  ...[ACCOUNTS, QUARTERS],
];

/** How many quarters the players of a row have: `0`, `10 to 19`, `1,000,000 or more`. */
function sizeWords({ from, to }: BalanceRow): string {
  if (from === null) return 'Total';
  if (to === null) return from === 0n ? '0' : `${en.number(from)} or more`;
  return to === from ? en.number(from) : `${en.number(from)} to ${en.number(to)}`;
}

/** How players' balances are distributed: a row for each size, with a bar for its share of the players. */
export function balancesTable(economy: Economy): Markup {
  if (!economy.distribution) return html`<p>Balances were not noted in this period. They are noted once a day.</p>`;
  const rows = balanceRows(economy);
  const accounts = rows.reduce((sum, row) => sum + row.accounts, 0);
  const quarters = rows.reduce((sum, row) => sum + row.quarters, 0n);
  const most = Math.max(1, ...rows.map((row) => row.accounts));
  const bar = (part: number) =>
    html`<svg aria-hidden="true" width="100%" height="12"><rect width="${((100 * part) / most).toFixed(2)}%" height="12" rx="3"/></svg>`;
  const isTotal = ({ from }: BalanceRow) => from === null;
  const share = (label: string, of: (row: BalanceRow) => number | null): ShownColumn<BalanceRow> => ({
    label,
    kind: 'number',
    value: (row) => (isTotal(row) ? null : percentText(of(row))),
  });
  const columns: ShownColumn<BalanceRow>[] = [
    { label: 'Balance', value: sizeWords },
    { label: '', look: 'bar', value: (row) => (isTotal(row) ? null : bar(row.accounts)) },
    ACCOUNTS,
    share('Of players', (row) => percentOf(row.accounts, accounts)),
    QUARTERS,
    share('Of quarters', (row) => percentOf(row.quarters, quarters)),
  ];
  return dataTable('Players by their balance', columns, [...rows, { from: null, to: null, accounts, quarters }], {
    kind: 'amounts balances',
    isTotal,
  });
}

/** Balances are noted every few minutes, so they may be of another moment than what is counted. */
export function notedHint({ holds }: Economy): Markup | false {
  return (
    holds !== null &&
    html`<p class="hint">Balances, the richest players and what is on the way were noted at ${utcMoment(holds.at)}. Transfers counted since then are not in them.</p>`
  );
}
