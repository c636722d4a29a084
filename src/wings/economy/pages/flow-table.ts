import { html } from 'hono/html';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import {
  type Flow,
  type FlowKind,
  isSecondHalf,
  isSink,
  isSource,
  isVolume,
  type Party,
} from '../../../ledger/flows.ts';
import { dataTable, groupedTable, type RowGroup, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { changeSince } from '../../../pages/consoles/figures.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Economy, Stocks } from '../views/economy.ts';
import { FLOW_NAMES } from '../views/flow-names.ts';

const PARTY_NAMES: Readonly<Record<Party, string>> = {
  none: '–',
  treasury: 'Treasury',
  player: 'Players',
  app: 'Apps',
  'other-app': 'Apps',
  outside: 'Outside',
};

/** What moved between two kinds of parties for one reason, by all apps. */
export type FlowRow = {
  readonly kind: FlowKind;
  readonly from: Party;
  readonly to: Party;
  readonly count: number;
  readonly amount: bigint;
  readonly before: bigint;
};

export type FlowGroup = { readonly title: string; readonly rows: readonly FlowRow[] };

const ALWAYS_SHOWN: readonly Flow[] = [
  { appId: null, kind: 'deposit', from: 'outside', to: 'player', count: 0, amount: 0n },
  { appId: null, kind: 'withdrawal', from: 'player', to: 'outside', count: 0, amount: 0n },
];

/** Flows by their way, in the groups that add up: into players' hands, out of them, and what passed them by. */
export function flowGroups(now: readonly Flow[], before: readonly Flow[]): FlowGroup[] {
  const rows = new Map<string, FlowRow>();
  const add = ({ kind, from, to, count, amount }: Flow, isNow: boolean) => {
    const key = `${kind} ${from} ${to}`;
    const row = rows.get(key) ?? { kind, from, to, count: 0, amount: 0n, before: 0n };
    rows.set(key, {
      ...row,
      ...(isNow ? { count: row.count + count, amount: row.amount + amount } : { before: row.before + amount }),
    });
  };
  for (const flow of now) if (!isSecondHalf(flow)) add(flow, true);
  for (const flow of before) if (!isSecondHalf(flow)) add(flow, false);
  // The answer to "how much came from outside, how much left" is a row even if it is 0.
  if (rows.size > 0) for (const flow of ALWAYS_SHOWN) add(flow, true);
  const all = [...rows.values()].sort((a, b) => Number(b.amount - a.amount) || Number(b.before - a.before));
  const ofGroup = (title: string, belongs: (row: FlowRow) => boolean) => ({ title, rows: all.filter(belongs) });
  return [
    ofGroup('Into players’ hands', isSource),
    ofGroup('Out of players’ hands', isSink),
    ofGroup(
      'Between treasury, apps and outside, and from merged guests',
      (row) => isVolume(row) && !isSource(row) && !isSink(row),
    ),
    ofGroup('Supply, and between outside addresses', (row) => !isVolume(row) && !isSource(row) && !isSink(row)),
  ].filter(({ rows }) => rows.length > 0);
}

export function totalOf(rows: readonly FlowRow[]): FlowSum {
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    amount: rows.reduce((sum, { amount }) => sum + amount, 0n),
    before: rows.reduce((sum, { before }) => sum + before, 0n),
  };
}

type FlowSum = Pick<FlowRow, 'count' | 'amount' | 'before'>;
/** A sum has neither kind nor parties. */
type FlowOrSum = Pick<FlowSum, 'count' | 'amount'> & Partial<FlowRow>;

/** What moved. */
export const FLOW_COLUMNS = {
  kind: textColumn('kind', 'Kind', ({ kind }) => (kind ? FLOW_NAMES[kind] : 'Total')),
  from: textColumn('from', 'From', ({ from }) => from ?? null),
  to: textColumn('to', 'To', ({ to }) => to ?? null),
  count: numberColumn('transfers', 'Transfers', ({ count }) => count),
  amount: numberColumn('quarters', 'Quarters', ({ amount }) => amount),
} satisfies Record<string, FileColumn<FlowOrSum>>;

/** Sources and sinks by kind. */
export function flowTable({ sums, before }: Economy): Markup {
  const groups = flowGroups(sums.flows, before.flows);
  if (groups.length === 0) return html`<p>Nothing moved in this period or the one before.</p>`;
  const { kind, from, to, count, amount } = FLOW_COLUMNS;
  const columns: ShownColumn<FlowSum & Partial<FlowRow>>[] = [
    kind,
    { ...from, value: (flow) => (flow.from ? PARTY_NAMES[flow.from] : null) },
    { ...to, value: (flow) => (flow.to ? PARTY_NAMES[flow.to] : null) },
    ...[count, amount],
    { label: 'Change', kind: 'number', look: 'change', value: (flow) => changeSince(flow.amount, flow.before) },
  ];
  const summed = groups.map(
    ({ title, rows }): RowGroup<FlowSum & Partial<FlowRow>> => ({ title, rows: [...rows, totalOf(rows)] }),
  );
  return groupedTable('Quarters that moved, by kind', columns, summed, {
    kind: 'amounts',
    isTotal: (row) => row.kind === undefined,
  });
}

const STOCKS = { treasury: 'Treasury', players: 'Players', apps: 'Apps', outside: 'Outside addresses' } as const;
const STOCK_OF: Partial<Record<Party, keyof typeof STOCKS>> = {
  treasury: 'treasury',
  player: 'players',
  app: 'apps',
  'other-app': 'apps',
  outside: 'outside',
};

export type StockRow = {
  readonly name: string;
  readonly opening: bigint;
  readonly came: bigint;
  readonly went: bigint;
  readonly closing: bigint;
};

/** What each kind of party had, got, gave and has. The last row is the supply. */
export function stockRows({ sums: { flows, opening, stocks } }: Pick<Economy, 'sums'>): StockRow[] {
  const moved = flows.filter((flow) => !isSecondHalf(flow) && STOCK_OF[flow.from] !== STOCK_OF[flow.to]);
  const sum = (party: 'from' | 'to', stock: keyof Stocks) =>
    moved.reduce((total, flow) => (STOCK_OF[flow[party]] === stock ? total + flow.amount : total), 0n);
  const none = (party: 'from' | 'to') =>
    moved.reduce((total, flow) => (flow[party] === 'none' ? total + flow.amount : total), 0n);
  return [
    ...Object.entries(STOCKS).map(([key, name]) => {
      const stock = key as keyof typeof STOCKS;
      return {
        name,
        opening: opening[stock],
        came: sum('to', stock),
        went: sum('from', stock),
        closing: stocks[stock],
      };
    }),
    { name: 'Supply', opening: opening.supply, came: none('from'), went: none('to'), closing: stocks.supply },
  ];
}

export const STOCK_COLUMNS = [
  textColumn('whose', 'Whose', ({ name }: StockRow) => name),
  numberColumn('opening (quarters)', 'Opening', ({ opening }: StockRow) => opening),
  numberColumn('in (quarters)', 'In', ({ came }: StockRow) => came),
  numberColumn('out (quarters)', 'Out', ({ went }: StockRow) => went),
  numberColumn('closing (quarters)', 'Closing', ({ closing }: StockRow) => closing),
];

/** Opening, in, out and closing of each kind of party: a table that adds up. */
export function stockTable(economy: Economy): Markup {
  const rows = stockRows(economy);
  return dataTable('What each had at the beginning, got, gave, and has at the end', STOCK_COLUMNS, rows, {
    kind: 'amounts',
    isTotal: (row) => row === rows.at(-1),
  });
}
