import { html } from 'hono/html';
import type { App } from '../../../identity/apps.ts';
import type { PeriodStep, Statistics, Totals } from '../../../views/statistics/read-statistics.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { type Chart, type ChartTime, chartFigure, chartGrid, chartNumber, utcDay } from '../../consoles/charts.ts';
import { consoleTime } from '../../consoles/console.ts';
import { consoleTable } from '../../consoles/console-table.ts';
import { spokenTime } from '../../consoles/spoken-time.ts';
import { logAddress } from '../log/call-filters.ts';

/** The share of decided requests that players approved, in percent; null without any. */
export function approvalRate({ approved, declined, expired, cancelled }: Totals): number | null {
  const decided = approved + declined + expired + cancelled;
  return decided === 0 ? null : Math.round((1000 * approved) / decided) / 10;
}

const CHARTS: readonly Chart<PeriodStep>[] = [
  { title: 'Balance', lines: [{ name: 'Balance at the end', value: ({ balance }) => balance }], write: chartNumber },
  {
    title: 'Volume',
    lines: [
      { name: 'Received', value: ({ received }) => received },
      { name: 'Paid out', value: ({ paidOut }) => paidOut },
      { name: 'Refunded', value: ({ refunded }) => refunded },
    ],
    write: chartNumber,
  },
  {
    title: 'Approval rate',
    lines: [{ name: 'Approved', value: approvalRate }],
    write: (value) => `${value}%`,
    notes: [
      { name: 'Declined', text: ({ declined }) => chartNumber(declined) },
      { name: 'Expired', text: ({ expired }) => chartNumber(expired) },
      { name: 'Cancelled', text: ({ cancelled }) => chartNumber(cancelled) },
    ],
    suffix: '%',
  },
  {
    title: 'Time to completion',
    lines: [
      { name: 'Median', value: ({ median }) => seconds(median) },
      { name: '95th percentile', value: ({ p95 }) => seconds(p95) },
    ],
    write: (value) => spokenTime(Number(value) * 1000),
    notes: [{ name: 'Slowest', text: ({ slowest }) => (slowest === null ? '–' : spokenTime(slowest)) }],
    suffix: ' s',
  },
  {
    title: 'API errors',
    lines: [
      { name: 'Refused (4xx)', value: ({ refused }) => refused },
      { name: 'Failed (5xx)', value: ({ faults }) => faults },
    ],
    write: chartNumber,
  },
];

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds) / 1000;
}

/** The charts of a period. Each is a table that a script draws. */
export function charts(app: Pick<App, 'id'>, statistics: Statistics): Markup {
  const time: ChartTime<PeriodStep> =
    statistics.period === '30d'
      ? { heading: 'Day (UTC)', cell: ({ from }) => utcDay(from) }
      : { heading: 'From', cell: ({ from }) => consoleTime(from) };
  const figures = CHARTS.map((chart) => chartFigure(chart, statistics.steps, time));
  return chartGrid(html`${figures}${errorCodes(app, statistics)}`);
}

/** The most that are listed. */
const MOST_CODES = 8;

/** Which errors the API answered with, each leading to its calls. */
function errorCodes({ id }: Pick<App, 'id'>, { errors }: Statistics): Markup | '' {
  if (errors.length === 0) return '';
  return html`<section class="card">
<h2>Most frequent errors</h2>
${consoleTable(
  'Errors of the period by their code',
  html`<thead><tr><th scope="col">Code</th><th scope="col" class="number">Calls</th></tr></thead>
<tbody>${errors
    .slice(0, MOST_CODES)
    .map(
      ({ code, count }) =>
        html`<tr><th scope="row"><a href="${logAddress(id, { code })}">${code}</a></th><td class="number" data-label="Calls">${words.number(BigInt(count))}</td></tr>`,
    )}</tbody>`,
  'amounts',
)}
</section>`;
}
