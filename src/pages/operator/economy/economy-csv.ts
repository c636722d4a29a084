import { type Cell, csvPieces } from '../../../base/csv.ts';
import type { Economy } from '../../../views/economy/economy.ts';
import { FLOW_NAMES } from '../../../views/finance/flow-names.ts';
import { netOf } from './apps-table.ts';
import { STEP_NAMES, shownSteps } from './economy-charts.ts';
import { flowGroups, stockRows } from './flow-table.ts';
import { percentOf, shareRows } from './shares.ts';

type Table = (economy: Economy) => readonly (readonly Cell[])[];

/** The tables that can be stored as files, by the names in their addresses. The first row has the headings. */
const TABLES = {
  steps(economy) {
    const rows = shownSteps(economy).map(({ from, stocks, ...sums }) => [
      ...[economy.period.kind === 'day' ? from : from.toISOString().slice(0, economy.period.kind === 'year' ? 7 : 10)],
      ...[sums.paid, sums.rewards, sums.paidOut, sums.refunded, sums.issued, sums.sources, sums.sinks, sums.volume],
      ...[sums.count, sums.activePayers, sums.payers, sums.payersSoFar, sums.newGuests, sums.becameFull, sums.signedUp],
      ...[stocks.players, stocks.apps, stocks.treasury, stocks.outside, stocks.supply],
    ]);
    return [
      [
        ...[STEP_NAMES[economy.period.kind], 'spent by players (quarters)', 'of it rewards (quarters)'],
        ...['payouts (quarters)', 'refunds (quarters)', 'issued (quarters)'],
        ...['into players’ hands (quarters)', 'out of players’ hands (quarters)', 'volume (quarters)', 'transfers'],
        ...[
          'payers',
          'payers new in the period',
          'different payers so far',
          'new guests',
          'guests who became full users',
        ],
        ...['signed up directly', 'players have at the end (quarters)', 'apps have at the end (quarters)'],
        ...['treasury has at the end (quarters)', 'outside at the end (quarters)', 'supply at the end (quarters)'],
      ],
      ...rows,
    ];
  },
  flows: ({ sums, before }) => [
    ['group', 'kind', 'from', 'to', 'transfers', 'quarters', 'quarters in the period before'],
    ...flowGroups(sums.flows, before.flows).flatMap(({ title, rows }) =>
      rows.map((row) => [title, FLOW_NAMES[row.kind], row.from, row.to, row.count, row.amount, row.before]),
    ),
  ],
  'flows-by-app': ({ sums, apps }) => {
    const names = new Map(apps.map(({ appId, name }) => [appId, name]));
    return [
      ['app id', 'app', 'kind', 'from', 'to', 'transfers', 'quarters'],
      ...sums.flows.map(({ appId, kind, from, to, count, amount }) => [
        ...[appId, appId && (names.get(appId) ?? null), FLOW_NAMES[kind], from, to, count, amount],
      ]),
    ];
  },
  stocks: (economy) => [
    ['whose', 'opening (quarters)', 'in (quarters)', 'out (quarters)', 'closing (quarters)'],
    ...stockRows(economy).map(({ name, opening, came, went, closing }) => [name, opening, came, went, closing]),
  ],
  apps: ({ apps }) => [
    [
      ...['app id', 'app', 'payment transfers', 'received (quarters)', 'received in the period before (quarters)'],
      ...['payouts (quarters)', 'refunds (quarters)', 'net (quarters)', 'payers', 'balance (quarters)'],
    ],
    ...apps.map((app) => [
      ...[app.appId, app.name, app.payments, app.received, app.before.received, app.paidOut, app.refunded],
      ...[netOf(app), app.payers, app.balance],
    ]),
  ],
  shares: (economy) => [
    ['figure', 'part or growth (quarters)', 'of (quarters)', 'percent'],
    ...shareRows(economy).map(({ name, part, whole }) => [name, part, whole, percentOf({ part, whole })]),
  ],
  balances: ({ distribution }) => [
    ['balance from (quarters)', 'to (quarters)', 'players', 'together (quarters)'],
    ...(distribution ?? []).map(({ from, accounts, quarters }, i, all) => {
      const next = all[i + 1];
      return [from, next ? next.from - 1n : null, accounts, quarters];
    }),
  ],
} as const satisfies Record<string, Table>;

export type EconomyTable = keyof typeof TABLES;

export function isEconomyTable(name: string): name is EconomyTable {
  return Object.hasOwn(TABLES, name);
}

/** A table of a period as the lines of a CSV file. */
export function economyLines(table: EconomyTable, economy: Economy): AsyncGenerator<string> {
  const [columns = [], ...rows]: readonly (readonly Cell[])[] = TABLES[table](economy);
  return csvPieces(columns, [rows], (cells) => cells);
}

/** Who spent the most. It is personal data, and apart from the other tables for that reason. */
export function spenderLines({ spenders }: Pick<Economy, 'spenders'>): AsyncGenerator<string> {
  const columns = ['rank', 'user id', 'display name', 'address', 'transfers', 'spent (quarters)'];
  const rows = spenders.map(({ userId, displayName, address, count, amount }, i) => [
    ...[i + 1, userId, displayName, address, count, amount],
  ]);
  return csvPieces(columns, [rows], (cells) => cells);
}
