import { html } from 'hono/html';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import type { Markup } from '../../../web/layout.ts';
import type { PeriodKind } from '../base/periods.ts';
import type { Economy, EconomyStep } from '../views/economy.ts';
import { ECONOMY_COLUMNS } from '../views/economy-columns.ts';
import { type Chart, type ChartTime, chartFigure, chartGrid, utcDay } from './charts.ts';
import { monthWords } from './period-words.ts';

/** A step, and what is added up over the steps so far. */
type ShownStep = EconomyStep & { readonly payersSoFar: number };

const { paid, rewards, count, sources, sinks, issued, volume, paidOut, refunded, ...COLUMNS } = ECONOMY_COLUMNS;
const ACTIVE = numberColumn('payers', 'Payers', ({ activePayers }: ShownStep) => activePayers);
const FIRST = numberColumn(
  'payers new in the period',
  'First payment in this period',
  (step: ShownStep) => step.payers,
);
const SO_FAR = numberColumn(
  'different payers so far',
  'Different payers so far',
  (step: ShownStep) => step.payersSoFar,
);

const CHARTS: readonly Chart<ShownStep>[] = [
  { title: 'Spending', lines: [paid, rewards] },
  { title: 'Payers', lines: [ACTIVE, SO_FAR], notes: [FIRST] },
  { title: 'Sources and sinks', lines: [sources, sinks, issued] },
  {
    title: 'Quarters in circulation',
    lines: [COLUMNS.players, COLUMNS.apps, COLUMNS.outside],
    notes: [COLUMNS.treasury, COLUMNS.supply],
  },
  { title: 'Volume', lines: [volume], notes: [count, paidOut, refunded] },
  { title: 'New players', lines: [COLUMNS.newGuests, COLUMNS.becameFull, COLUMNS.signedUp] },
];

/** The steps of a period of this kind as a file: what the charts show, and the rest. */
export function stepColumns(kind: PeriodKind): readonly FileColumn<ShownStep>[] {
  const length = kind === 'year' ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length;
  const { newGuests, becameFull, signedUp, players, apps, treasury, outside, supply } = COLUMNS;
  return [
    textColumn(STEP_NAMES[kind], STEP_NAMES[kind], ({ from }) =>
      kind === 'day' ? from : from.toISOString().slice(0, length),
    ),
    ...[paid, rewards, paidOut, refunded, issued, sources, sinks, volume, count, ACTIVE, FIRST, SO_FAR],
    ...[newGuests, becameFull, signedUp, players, apps, treasury, outside, supply],
  ];
}

/** The steps that have begun, with what is counted of them. */
export function shownSteps({ steps, counted }: Pick<Economy, 'steps' | 'counted'>): ShownStep[] {
  let payersSoFar = 0;
  return steps
    .filter(({ from }) => counted.at !== null && from <= counted.at)
    .map((step) => {
      payersSoFar += step.payers;
      return { ...step, payersSoFar };
    });
}

/** How the steps of a period of this kind are called in tables and files. */
const STEP_NAMES: Readonly<Record<PeriodKind, string>> = {
  day: 'Hour (UTC)',
  week: 'Day (UTC)',
  month: 'Day (UTC)',
  year: 'Month (UTC)',
};

/** The charts of a period, over its steps. */
export function economyCharts(economy: Economy): Markup {
  const { kind } = economy.period;
  const steps = shownSteps(economy);
  const time: ChartTime<ShownStep> = {
    heading: STEP_NAMES[kind],
    cell({ from }) {
      const iso = from.toISOString();
      if (kind === 'day') return html`<time datetime="${iso}" data-utc>${iso.slice(11, 16)} UTC</time>`;
      return kind === 'year' ? html`<time datetime="${iso.slice(0, 7)}">${monthWords(from)}</time>` : utcDay(from);
    },
  };
  return chartGrid(CHARTS.map((chart) => chartFigure(chart, steps, time)));
}
