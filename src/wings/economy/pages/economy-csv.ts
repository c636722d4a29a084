import { numberColumn, textColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import type { Flow } from '../../../ledger/flows.ts';
import type { Economy } from '../views/economy.ts';
import { APP_COLUMNS, RANK_COLUMN, rankedSpenders, SPENDER_COLUMNS } from '../views/economy-columns.ts';
import { BALANCE_COLUMNS, balanceRows } from './balances.ts';
import { shownSteps, stepColumns } from './economy-charts.ts';
import { FLOW_COLUMNS, flowGroups, STOCK_COLUMNS, stockRows } from './flow-table.ts';
import { SHARE_COLUMNS, shareRows } from './shares.ts';

/** The tables that can be stored as files, by the names in their addresses. */
export const ECONOMY_FILES = {
  steps: (economy) => csvPieces(stepColumns(economy.period.kind), [shownSteps(economy)]),
  flows({ sums, before }) {
    const groups = flowGroups(sums.flows, before.flows);
    const rows = groups.flatMap(({ title, rows }) => rows.map((row) => ({ title, ...row })));
    type Row = (typeof rows)[number];
    const columns = [
      textColumn('group', 'Group', ({ title }: Row) => title),
      ...Object.values(FLOW_COLUMNS),
      numberColumn('quarters in the period before', 'Before', (row: Row) => row.before),
    ];
    return csvPieces(columns, [rows]);
  },
  'flows-by-app'({ sums, apps }) {
    const names = new Map(apps.map(({ appId, name }) => [appId, name]));
    const columns = [
      textColumn('app id', 'App id', ({ appId }: Flow) => appId),
      textColumn('app', 'App', ({ appId }: Flow) => appId && (names.get(appId) ?? null)),
      ...Object.values(FLOW_COLUMNS),
    ];
    return csvPieces(columns, [sums.flows]);
  },
  stocks: (economy) => csvPieces(STOCK_COLUMNS, [stockRows(economy)]),
  apps: ({ apps }) => csvPieces(Object.values(APP_COLUMNS), [apps]),
  shares: (economy) => csvPieces(SHARE_COLUMNS, [shareRows(economy)]),
  balances: (economy) => csvPieces(BALANCE_COLUMNS, [balanceRows(economy)]),
} as const satisfies Record<string, (economy: Economy) => AsyncGenerator<string>>;

export type EconomyTable = keyof typeof ECONOMY_FILES;

/** Who spent the most. */
export function spenderLines(economy: Pick<Economy, 'spenders'>): AsyncGenerator<string> {
  return csvPieces([RANK_COLUMN, ...Object.values(SPENDER_COLUMNS)], [rankedSpenders(economy)]);
}
