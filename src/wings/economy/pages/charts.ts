import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import type { Markup } from '../../../web/layout.ts';

/** A chart over steps of time, oldest first. */
export type Chart<Step> = {
  readonly title: string;
  /** At most three can be told apart. Where the value is null, there is a gap. */
  readonly lines: readonly NumberColumn<Step>[];
  /** How a value is written in the table, unless as a whole number. */
  readonly write?: (value: bigint | number) => string;
  /** What the table says beside the lines. It is not drawn. */
  readonly notes?: readonly ShownColumn<Step>[];
  /** What follows the numbers beside the chart. */
  readonly suffix?: string;
};

type NumberColumn<Step> = { readonly label: string; readonly value: (step: Step) => bigint | number | null };

/** The first column of the table: its heading, and each step's `<time>`. */
export type ChartTime<Step> = { readonly heading: string; readonly cell: (step: Step) => Markup };

/** Charts side by side where there is room. The page needs `CHART_LIBRARY` and `CHARTS_SCRIPT`. */
export function chartGrid(figures: Markup | readonly Markup[]): Markup {
  return html`<div class="charts" data-locale="${en.locale}">${figures}</div>`;
}

/** A chart: a table that a script draws. */
export function chartFigure<Step>(
  { title, lines, notes = [], write, suffix }: Chart<Step>,
  steps: readonly Step[],
  time: ChartTime<Step>,
): Markup {
  const line = ({ label, value }: NumberColumn<Step>): ShownColumn<Step> => {
    const written = (step: Step) => {
      const point = value(step);
      return point === null || !write ? point : write(point);
    };
    return { label, kind: 'number', value: written, drawn: value };
  };
  const columns: ShownColumn<Step>[] = [
    { label: time.heading, value: time.cell },
    ...lines.map(line),
    ...notes.map((note) => ({ ...note, kind: 'number', drawn: 'note' }) as const),
  ];
  return html`<figure class="card chart"${suffix && html` data-suffix="${suffix}"`}>
<figcaption>${title}</figcaption>
<details open><summary>Table</summary>
${dataTable(title, columns, steps, { kind: 'amounts' })}</details>
</figure>`;
}

/** A day in UTC. Not in the reader's time zone, where it would be parts of two days. */
export function utcDay(date: Date): Markup {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${en.day(date)}</time>`;
}
