import { html } from 'hono/html';
import { lazily } from '../../../base/lazily.ts';
import type { PeriodKind } from '../../../economy/periods.ts';
import type { Economy, EconomyStep } from '../../../views/economy/economy.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { type Chart, type ChartTime, chartFigure, chartGrid, chartNumber, utcDay } from '../../consoles/charts.ts';

/** A step, and what is added up over the steps so far. */
type ShownStep = EconomyStep & { readonly payersSoFar: number };

const CHARTS: readonly Chart<ShownStep>[] = [
  {
    title: 'Spending',
    lines: [
      { name: 'Spent by players', value: ({ paid }) => paid },
      { name: 'Of it rewards', value: ({ rewards }) => rewards },
    ],
    write: chartNumber,
    notes: [{ name: 'Transfers', text: ({ count }) => chartNumber(count) }],
  },
  {
    title: 'Payers',
    lines: [
      { name: 'Payers', value: ({ activePayers }) => activePayers },
      { name: 'Different payers so far', value: ({ payersSoFar }) => payersSoFar },
    ],
    write: chartNumber,
    notes: [{ name: 'First payment in this period', text: ({ payers }) => chartNumber(payers) }],
  },
  {
    title: 'Sources and sinks',
    lines: [
      { name: 'Into players’ hands', value: ({ sources }) => sources },
      { name: 'Out of players’ hands', value: ({ sinks }) => sinks },
      { name: 'Issued', value: ({ issued }) => issued },
    ],
    write: chartNumber,
  },
  {
    title: 'Quarters in circulation',
    lines: [
      { name: 'Players', value: ({ stocks }) => stocks.players },
      { name: 'Apps', value: ({ stocks }) => stocks.apps },
      { name: 'Outside', value: ({ stocks }) => stocks.outside },
    ],
    write: chartNumber,
    notes: [
      { name: 'Treasury', text: ({ stocks }) => chartNumber(stocks.treasury) },
      { name: 'Supply', text: ({ stocks }) => chartNumber(stocks.supply) },
    ],
  },
  {
    title: 'Volume',
    lines: [{ name: 'Volume', value: ({ volume }) => volume }],
    write: chartNumber,
    notes: [
      { name: 'Payouts', text: ({ paidOut }) => chartNumber(paidOut) },
      { name: 'Refunds', text: ({ refunded }) => chartNumber(refunded) },
    ],
  },
  {
    title: 'New players',
    lines: [
      { name: 'New guests', value: ({ newGuests }) => newGuests },
      { name: 'Became full users', value: ({ becameFull }) => becameFull },
      { name: 'Signed up directly', value: ({ signedUp }) => signedUp },
    ],
    write: chartNumber,
  },
];

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
export const STEP_NAMES: Readonly<Record<PeriodKind, string>> = {
  day: 'Hour (UTC)',
  week: 'Day (UTC)',
  month: 'Day (UTC)',
  year: 'Month (UTC)',
};

const MONTH = lazily(() => new Intl.DateTimeFormat(words.locale, { timeZone: 'UTC', month: 'long', year: 'numeric' }));

/** The charts of a period, over its steps. */
export function economyCharts(economy: Economy): Markup {
  const { kind } = economy.period;
  const steps = shownSteps(economy);
  const time: ChartTime<ShownStep> = {
    heading: STEP_NAMES[kind],
    cell({ from }) {
      const iso = from.toISOString();
      if (kind === 'day') return html`<time datetime="${iso}" data-utc>${iso.slice(11, 16)} UTC</time>`;
      return kind === 'year' ? html`<time datetime="${iso.slice(0, 7)}">${MONTH().format(from)}</time>` : utcDay(from);
    },
  };
  return chartGrid(CHARTS.map((chart) => chartFigure(chart, steps, time)));
}
