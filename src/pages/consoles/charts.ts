import { html } from 'hono/html';
import type { Markup } from '../../web/layout.ts';
import { words } from '../../words/words.ts';
import { consoleTable } from './console-table.ts';

/** One line of a chart. Null: the step has no value. */
type ChartLine<Step> = { readonly name: string; readonly value: (step: Step) => bigint | number | null };

/** A column of the table that is not drawn. */
type ChartNote<Step> = { readonly name: string; readonly text: (step: Step) => string };

/** A chart over steps of time, oldest first. At most three lines can be told apart. */
export type Chart<Step> = {
  readonly title: string;
  readonly lines: readonly ChartLine<Step>[];
  /** How a value is written in the table. */
  readonly write: (value: bigint | number) => string;
  /** What the table says beside the lines. It is not drawn. */
  readonly notes?: readonly ChartNote<Step>[];
  /** What follows the numbers beside the chart. */
  readonly suffix?: string;
};

/** The first column of the table: its heading, and each step's `<time>`. */
export type ChartTime<Step> = { readonly heading: string; readonly cell: (step: Step) => Markup };

/** Writes a whole number. */
export const chartNumber = (value: bigint | number): string => words.number(BigInt(Math.round(Number(value))));

/** Charts side by side where there is room. The page needs `CHART_LIBRARY` and `CHARTS_SCRIPT`. */
export function chartGrid(figures: Markup | readonly Markup[]): Markup {
  return html`<div class="charts" data-locale="${words.locale}">${figures}</div>`;
}

/** A chart: a table that a script draws. `more` follows the table, such as a link to its file. */
export function chartFigure<Step>(
  { title, lines, notes = [], write, suffix }: Chart<Step>,
  steps: readonly Step[],
  time: ChartTime<Step>,
  more: Markup | '' = '',
): Markup {
  const cell = (step: Step, { name, value }: ChartLine<Step>) => {
    const shown = value(step);
    return shown === null
      ? html`<td class="number" data-label="${name}">–</td>`
      : html`<td class="number" data-label="${name}" data-value="${shown}">${write(shown)}</td>`;
  };
  const noteCell = (step: Step, { name, text }: ChartNote<Step>) =>
    html`<td class="number" data-label="${name}">${text(step)}</td>`;
  return html`<figure class="card chart"${suffix && html` data-suffix="${suffix}"`}>
<figcaption>${title}</figcaption>
<details open><summary>Table</summary>
${consoleTable(
  title,
  html`<thead><tr><th scope="col">${time.heading}</th>${lines.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}${notes.map(({ name }) => html`<th scope="col" class="number" data-note>${name}</th>`)}</tr></thead>
<tbody>${steps.map(
    (step) =>
      html`<tr><th scope="row">${time.cell(step)}</th>${lines.map((line) => cell(step, line))}${notes.map((note) => noteCell(step, note))}</tr>`,
  )}</tbody>`,
  'amounts',
)}${more}</details>
</figure>`;
}

/** A day in UTC. Not in the reader's time zone, where it would be parts of two days. */
export function utcDay(date: Date): Markup {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${words.day(date)}</time>`;
}
