import { html } from 'hono/html';
import { csvPieces } from '../../../base/csv.ts';
import { lazily } from '../../../base/lazily.ts';
import type { GasReport } from '../../../views/economy/read-gas.ts';
import { words } from '../../../words/words.ts';
import { utcDay } from '../../consoles/charts.ts';
import { type ConsoleContent, panel } from '../../consoles/console.ts';
import { dataTable, etherText, figureRow } from '../entity-parts.ts';
import { backToEconomy, csvFile, GAS_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';

type Costs = GasReport['sums'];

const MONTH = lazily(() => new Intl.DateTimeFormat(words.locale, { timeZone: 'UTC', month: 'long', year: 'numeric' }));

/** What relayers paid for gas in a period, by day or month. */
export function gasPage({ period, sums, steps }: GasReport, now = new Date()): ConsoleContent {
  const isYear = period.kind === 'year';
  const numbers = ['Ether', 'Ether a transfer', 'Gas a transfer', 'Transfers', 'Transactions', 'Without effect'];
  const columns = [{ label: isYear ? 'Month (UTC)' : 'Day (UTC)' }, ...numbers.map(numeric)];
  const row = (step: GasReport['steps'][number]) => [
    isYear ? MONTH().format(step.starts) : utcDay(step.starts),
    ...[shortEther(step.wei), perTransfer(step, 'wei'), perTransfer(step, 'gas')],
    ...[step.transfers, step.transactions, step.reverted].map((count) => words.number(BigInt(count))),
  ];
  const table =
    steps.length === 0
      ? html`<p>No transaction was counted in this period.</p>`
      : html`${dataTable('What relayers paid', columns, steps.map(row), 'amounts')}${csvFile(periodAddress(`${GAS_PATH}.csv`, period))}`;
  const content = html`${periodSteps(GAS_PATH, period, now)}
${figureRow([
  ['Ether paid', shortEther(sums.wei)],
  ['A transfer', perTransfer(sums, 'wei')],
  ['A day', shortEther(sums.wei / BigInt(daysWithCosts({ period, sums, steps }, now)))],
  ['Gas a transfer', perTransfer(sums, 'gas')],
])}
<p class="hint">In ether. Transactions count once they are final, on the day on which they were signed. Deployments, cancellations and transactions without effect are part of it.${sums.unknown > 0 && ` Missing: ${words.number(BigInt(sums.unknown))} older ${sums.unknown === 1 ? 'transaction' : 'transactions'}, of which the node knows nothing.`}</p>
${panel(isYear ? 'By month' : 'By day', table)}
<p>${backToEconomy}</p>`;
  return { title: 'Gas', content, action: periodKinds(GAS_PATH, period, now) };
}

const FOUR_DIGITS = lazily(() => new Intl.NumberFormat(words.locale, { maximumSignificantDigits: 4 }));

/** Ether to four digits. The file has it to the gwei. */
function shortEther(wei: bigint): string {
  return FOUR_DIGITS().format(Number(wei) / 1e18);
}

function numeric(label: string) {
  return { label, isNumber: true } as const;
}

function perTransfer({ transfers, ...sums }: Costs, name: 'wei' | 'gas'): string {
  if (transfers === 0) return '–';
  const each = sums[name] / BigInt(transfers);
  return name === 'wei' ? shortEther(each) : words.number(each);
}

const DAY_MS = 86_400_000;

/** The days of the period that have begun. */
function daysWithCosts({ period: { from, until } }: GasReport, now: Date): number {
  return Math.max(Math.ceil((Math.min(until.getTime(), now.getTime()) - from.getTime()) / DAY_MS), 1);
}

export function gasLines({ steps, period }: GasReport): AsyncGenerator<string> {
  const columns = [
    ...[period.kind === 'year' ? 'Month (UTC)' : 'Day (UTC)', 'fees (ether)', 'gas', 'transfers', 'transactions'],
    ...['without effect', 'not known to the node'],
  ];
  return csvPieces(columns, [steps], ({ starts, wei, gas, transfers, transactions, reverted, unknown }) => [
    ...[starts.toISOString().slice(0, period.kind === 'year' ? 7 : 10), etherText(wei), gas, transfers],
    ...[transactions, reverted, unknown],
  ]);
}
