import { html } from 'hono/html';
import type { App } from '../../../identity/apps.ts';
import { callsAddress } from '../../../pages/consoles/app-frame.ts';
import { consoleTime } from '../../../pages/consoles/console.ts';
import { dataTable } from '../../../pages/consoles/console-table.ts';
import { spokenTime } from '../../../pages/consoles/spoken-time.ts';
import type { House } from '../../../service/house.ts';
import type { Markup } from '../../../web/layout.ts';
import { percentOf } from '../base/percent.ts';
import type { ErrorCount, PeriodStep, Statistics, Totals } from '../views/read-statistics.ts';
import { type Chart, type ChartTime, chartFigure, chartGrid, utcDay } from './charts.ts';

/** The share of decided requests that players approved, in percent; null without any. */
export function approvalRate({ approved, declined, expired, cancelled }: Totals): number | null {
  const rate = percentOf(approved, approved + declined + expired + cancelled);
  return rate === null ? null : Math.round(10 * rate) / 10;
}

const CHARTS: readonly Chart<PeriodStep>[] = [
  { title: 'Balance', lines: [{ label: 'Balance at the end', value: ({ balance }) => balance }] },
  {
    title: 'Volume',
    lines: [
      { label: 'Received', value: ({ received }) => received },
      { label: 'Paid out', value: ({ paidOut }) => paidOut },
      { label: 'Refunded', value: ({ refunded }) => refunded },
    ],
  },
  {
    title: 'Approval rate',
    lines: [{ label: 'Approved', value: approvalRate }],
    write: (value) => `${value}%`,
    notes: [
      { label: 'Declined', value: ({ declined }) => declined },
      { label: 'Expired', value: ({ expired }) => expired },
      { label: 'Cancelled', value: ({ cancelled }) => cancelled },
    ],
    suffix: '%',
  },
  {
    title: 'Time to completion',
    lines: [
      { label: 'Median', value: ({ median }) => seconds(median) },
      { label: '95th percentile', value: ({ p95 }) => seconds(p95) },
    ],
    write: (value) => spokenTime(Number(value) * 1000),
    notes: [{ label: 'Slowest', value: ({ slowest }) => (slowest === null ? null : spokenTime(slowest)) }],
    suffix: ' s',
  },
];

const CALL_CHART: Chart<PeriodStep> = {
  title: 'API errors',
  lines: [
    { label: 'Refused (4xx)', value: ({ refused }) => refused },
    { label: 'Failed (5xx)', value: ({ faults }) => faults },
  ],
};

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds) / 1000;
}

/** The charts of a period. Each is a table that a script draws. */
export function charts(house: House, app: Pick<App, 'id'>, statistics: Statistics): Markup {
  const time: ChartTime<PeriodStep> =
    statistics.period === '30d'
      ? { heading: 'Day (UTC)', cell: ({ from }) => utcDay(from) }
      : { heading: 'From', cell: ({ from }) => consoleTime(from) };
  const shown = statistics.countsCalls ? [...CHARTS, CALL_CHART] : CHARTS;
  const figures = shown.map((chart) => chartFigure(chart, statistics.steps, time));
  return chartGrid(html`${figures}${errorCodes(house, app, statistics)}`);
}

/** The most that are listed. */
const MOST_CODES = 8;

/** Which errors the API answered with, each leading to its calls. */
function errorCodes(house: House, { id }: Pick<App, 'id'>, { errors }: Statistics): Markup | '' {
  if (errors.length === 0) return '';
  const codeLink = ({ code }: ErrorCount) => {
    const calls = callsAddress(house, id, { code });
    return calls ? html`<a href="${calls}">${code}</a>` : code;
  };
  return html`<section class="card">
<h2>Most frequent errors</h2>
${dataTable(
  'Errors of the period by their code',
  [
    { label: 'Code', value: codeLink },
    { label: 'Calls', kind: 'number', value: ({ count }) => count },
  ],
  errors.slice(0, MOST_CODES),
  { kind: 'amounts' },
)}
</section>`;
}
