import { html } from 'hono/html';
import type { PeriodStep, Statistics, Totals } from '../../../features/statistics/read-statistics.ts';
import type { App } from '../../../identity/apps.ts';
import { consoleTime } from '../../../web/console.ts';
import { spokenTime } from '../../../web/consoles/spoken-time.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { logAddress } from '../log/call-filters.ts';

/** One line of a chart. Null: the hour has no value. */
type Line = { readonly name: string; readonly value: (step: PeriodStep) => bigint | number | null };

/** A column of the table that is not drawn. */
type Note = { readonly name: string; readonly text: (step: PeriodStep) => string };

type Chart = {
  readonly title: string;
  readonly lines: readonly Line[];
  /** How a value is written in the table. */
  readonly write: (value: bigint | number) => string;
  /** What the table says beside the lines. It is not drawn. */
  readonly notes?: readonly Note[];
  /** What follows the numbers beside the chart. */
  readonly suffix?: string;
};

const number = (value: bigint | number) => words.number(BigInt(Math.round(Number(value))));

/** The share of decided requests that players approved, in percent; null without any. */
export function approvalRate({ approved, declined, expired, cancelled }: Totals): number | null {
  const decided = approved + declined + expired + cancelled;
  return decided === 0 ? null : Math.round((1000 * approved) / decided) / 10;
}

const CHARTS: readonly Chart[] = [
  { title: 'Balance', lines: [{ name: 'Balance at the end', value: ({ balance }) => balance }], write: number },
  {
    title: 'Volume',
    lines: [
      { name: 'Received', value: ({ received }) => received },
      { name: 'Paid out', value: ({ paidOut }) => paidOut },
      { name: 'Refunded', value: ({ refunded }) => refunded },
    ],
    write: number,
  },
  {
    title: 'Approval rate',
    lines: [{ name: 'Approved', value: approvalRate }],
    write: (value) => `${value}%`,
    notes: [
      { name: 'Declined', text: ({ declined }) => number(declined) },
      { name: 'Expired', text: ({ expired }) => number(expired) },
      { name: 'Cancelled', text: ({ cancelled }) => number(cancelled) },
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
    write: number,
  },
];

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds) / 1000;
}

/** The charts of a period. Each is a table that a script draws. */
export function charts(app: Pick<App, 'id'>, statistics: Statistics): Markup {
  return html`<div class="charts" data-locale="${words.locale}">${CHARTS.map((chart) => chartFigure(chart, statistics))}${errorCodes(app, statistics)}</div>`;
}

/** The most that are listed. */
const MOST_CODES = 8;

/** Which errors the API answered with, each leading to its calls. */
function errorCodes({ id }: Pick<App, 'id'>, { errors }: Statistics): Markup | '' {
  if (errors.length === 0) return '';
  return html`<section class="card">
<h2>Most frequent errors</h2>
<table class="data">
<caption class="visually-hidden">Errors of the period by their code</caption>
<thead><tr><th scope="col">Code</th><th scope="col" class="number">Calls</th></tr></thead>
<tbody>${errors
    .slice(0, MOST_CODES)
    .map(
      ({ code, count }) =>
        html`<tr><th scope="row"><a href="${logAddress(id, { code })}">${code}</a></th><td class="number" data-label="Calls">${words.number(BigInt(count))}</td></tr>`,
    )}</tbody>
</table>
</section>`;
}

function chartFigure({ title, lines, notes = [], write, suffix }: Chart, { steps, period }: Statistics): Markup {
  const cell = (step: PeriodStep, { name, value }: Line) => {
    const shown = value(step);
    return shown === null
      ? html`<td class="number" data-label="${name}">–</td>`
      : html`<td class="number" data-label="${name}" data-value="${shown}">${write(shown)}</td>`;
  };
  const noteCell = (step: PeriodStep, { name, text }: Note) =>
    html`<td class="number" data-label="${name}">${text(step)}</td>`;
  return html`<figure class="card chart"${suffix && html` data-suffix="${suffix}"`}>
<figcaption>${title}</figcaption>
<details open><summary>Table</summary>
<table class="data">
<caption class="visually-hidden">${title}</caption>
<thead><tr><th scope="col">${period === '30d' ? 'Day (UTC)' : 'From'}</th>${lines.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}${notes.map(({ name }) => html`<th scope="col" class="number" data-note>${name}</th>`)}</tr></thead>
<tbody>${steps.map(
    (step) =>
      html`<tr><th scope="row">${period === '30d' ? utcDay(step.from) : consoleTime(step.from)}</th>${lines.map((line) => cell(step, line))}${notes.map((note) => noteCell(step, note))}</tr>`,
  )}</tbody>
</table></details>
</figure>`;
}

/** Not in the reader's time zone, where it would be parts of two days. */
function utcDay(date: Date): Markup {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${words.day(date)}</time>`;
}
