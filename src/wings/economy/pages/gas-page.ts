import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import { lazily } from '../../../base/lazily.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { etherText } from '../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../pages/consoles/figures.ts';
import type { Period } from '../base/periods.ts';
import type { GasReport } from '../views/read-gas.ts';
import { utcDay } from './charts.ts';
import { csvFile, economyPages, GAS_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';
import { monthWords } from './period-words.ts';

type Costs = GasReport['sums'];
type GasStep = GasReport['steps'][number];

/** What relayers paid for gas in a period, by day or month. */
export function gasPage({ period, sums, steps }: GasReport, now = new Date()): ConsoleContent {
  const isYear = period.kind === 'year';
  const { starts, fees, transfers, transactions, reverted } = columnsOf(period);
  const columns: ShownColumn<GasStep>[] = [
    { ...starts, value: (step) => (isYear ? monthWords(step.starts) : utcDay(step.starts)) },
    { ...fees, kind: 'number', value: ({ wei }) => shortEther(wei) },
    { label: 'Ether a transfer', kind: 'number', value: (step) => perTransfer(step, 'wei') },
    { label: 'Gas a transfer', kind: 'number', value: (step) => perTransfer(step, 'gas') },
    ...[transfers, transactions, reverted],
  ];
  const table =
    steps.length === 0
      ? html`<p>No transaction was counted in this period.</p>`
      : html`${dataTable('What relayers paid', columns, steps, { kind: 'amounts' })}${csvFile(periodAddress(`${GAS_PATH}.csv`, period))}`;
  const content = html`${economyPages(GAS_PATH, period)}
${periodSteps(GAS_PATH, period, now)}
${figureRow([
  ['Ether paid', shortEther(sums.wei)],
  ['A transfer', perTransfer(sums, 'wei')],
  ['A day', shortEther(sums.wei / BigInt(daysWithCosts({ period, sums, steps }, now)))],
  ['Gas a transfer', perTransfer(sums, 'gas')],
])}
<p class="hint">In ether. Transactions count once they are final, on the day on which they were signed. Deployments, cancellations and transactions without effect are part of it.${sums.unknown > 0 && ` Missing: ${en.number(BigInt(sums.unknown))} older ${sums.unknown === 1 ? 'transaction' : 'transactions'}, of which the node knows nothing.`}</p>
${panel(isYear ? 'By month' : 'By day', table)}`;
  return { title: 'Gas', content, action: periodKinds(GAS_PATH, period, now) };
}

const FOUR_DIGITS = lazily(() => new Intl.NumberFormat(en.locale, { maximumSignificantDigits: 4 }));

/** Ether to four digits. The file has it to the gwei. */
function shortEther(wei: bigint): string {
  return FOUR_DIGITS().format(Number(wei) / 1e18);
}

function perTransfer({ transfers, ...sums }: Costs, name: 'wei' | 'gas'): string {
  if (transfers === 0) return '–';
  const each = sums[name] / BigInt(transfers);
  return name === 'wei' ? shortEther(each) : en.number(each);
}

const DAY_MS = 86_400_000;

/** The days of the period that have begun. */
function daysWithCosts({ period: { from, until } }: GasReport, now: Date): number {
  return Math.max(Math.ceil((Math.min(until.getTime(), now.getTime()) - from.getTime()) / DAY_MS), 1);
}

const columnsOf = ({ kind }: Pick<Period, 'kind'>) => {
  const [heading, length] = kind === 'year' ? ['Month (UTC)', 7] : ['Day (UTC)', 10];
  return {
    starts: textColumn(heading, heading, ({ starts }) => starts.toISOString().slice(0, length)),
    fees: textColumn('fees (ether)', 'Ether', ({ wei }) => etherText(wei)),
    gas: numberColumn('gas', 'Gas', ({ gas }) => gas),
    transfers: numberColumn('transfers', 'Transfers', (step) => step.transfers),
    transactions: numberColumn('transactions', 'Transactions', (step) => step.transactions),
    reverted: numberColumn('without effect', 'Without effect', (step) => step.reverted),
    unknown: numberColumn('not known to the node', 'Not known to the node', (step) => step.unknown),
  } satisfies Record<string, FileColumn<GasStep>>;
};

export function gasLines({ steps, period }: GasReport): AsyncGenerator<string> {
  return csvPieces(Object.values(columnsOf(period)), [steps]);
}
