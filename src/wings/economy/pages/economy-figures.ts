import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { lazily } from '../../../base/lazily.ts';
import { changeSince, type Figure, figureRow, type Meaning, percentText } from '../../../pages/consoles/figures.ts';
import type { Markup } from '../../../web/layout.ts';
import { percentOf } from '../base/percent.ts';
import { PERIOD_KINDS } from '../base/periods.ts';
import type { Economy, EconomyStep } from '../views/economy.ts';
import { ECONOMY_COLUMNS } from '../views/economy-columns.ts';

type FigureName = keyof typeof ECONOMY_COLUMNS;

/** A figure beside that of the period before. */
function compared(
  { sums, before }: Pick<Economy, 'sums' | 'before'>,
  name: FigureName,
  meaning?: Meaning,
  ...notes: (string | false | null)[]
): Figure {
  const { label, value } = ECONOMY_COLUMNS[name];
  const now = value(sums) ?? 0;
  return [label, now, ...notes, changeSince(now, value(before) ?? 0, meaning)];
}

/** Where the quarters are, at the end of the period. */
export function stockFigures(economy: Economy, isOver: boolean): Markup {
  const { holds, counted } = economy;
  const onTheWay = holds && holds.players + holds.apps;
  const reserved = holds && holds.treasury > 0n && `${en.number(holds.treasury)} of it is reserved or on the way`;
  const row = figureRow([
    compared(economy, 'supply'),
    compared(economy, 'treasury', undefined, reserved),
    compared(economy, 'players'),
    compared(economy, 'apps'),
    onTheWay !== null && ['On the way', onTheWay, 'Of what players and apps have'],
    compared(economy, 'outside'),
  ]);
  return html`<section aria-labelledby="stocks"><h2 id="stocks">${isOver ? 'Where quarters were at its end' : 'Where quarters are'}</h2>
${row}
${counted.at === null && html`<p class="hint">Nothing is counted yet.</p>`}</section>`;
}

/** What happened in the period, each figure beside that of the period before. */
export function periodFigures(economy: Economy): Markup {
  const { sums, apps, steps, period } = economy;
  const payments = (of: readonly { readonly payments: number }[]) => of.reduce((sum, one) => sum + one.payments, 0);
  const made = payments(apps);
  const rewarded = percentOf(sums.rewards, sums.paid);
  const busiest = busiestStep(steps);
  const row = figureRow([
    compared(economy, 'paid', 'more is good', rewarded !== null && `${percentText(rewarded)} of it was rewards`),
    ['Payment transfers', made, changeSince(made, payments(apps.map((app) => app.before)), 'more is good')],
    compared(economy, 'payers', 'more is good', payersWords(economy)),
    compared(economy, 'paidOut'),
    compared(economy, 'refunded', 'more is bad'),
    compared(economy, 'issued'),
    compared(economy, 'volume', undefined, `In ${transfersIn(sums.count)}`),
    compared(economy, 'newGuests', 'more is good'),
    compared(economy, 'becameFull', 'more is good'),
    compared(economy, 'signedUp', 'more is good'),
  ]);
  return html`<section aria-labelledby="moved"><h2 id="moved">What happened</h2>
${row}
${busiest && html`<p class="hint">${period.kind === 'day' ? 'Busiest hour' : period.kind === 'year' ? 'Busiest month' : 'Busiest day'}: ${stepWords(busiest, period.kind)}, with ${transfersIn(busiest.count)} and ${en.quarters(busiest.paid)} spent.</p>`}</section>`;
}

/** How many different players paid in the day, week and month that the period ends in. */
function payersWords({ activePayers, period }: Economy): string {
  const kinds = PERIOD_KINDS.filter((kind) => kind !== period.kind && kind !== 'year');
  return kinds
    .map((kind) => `${en.number(BigInt(activePayers[kind]))} ${kind === 'day' ? 'on its last day' : `in its ${kind}`}`)
    .join(', ');
}

function busiestStep(steps: readonly EconomyStep[]): EconomyStep | null {
  const [first] = steps.toSorted((a, b) => b.count - a.count);
  return first && first.count > 0 ? first : null;
}

const MONTH = lazily(() => new Intl.DateTimeFormat(en.locale, { timeZone: 'UTC', month: 'long' }));

/** `18:00 to 19:00 UTC`, `23 November 2026`, `November`. */
function stepWords({ from, until }: EconomyStep, kind: Economy['period']['kind']): string {
  const clock = (date: Date) => date.toISOString().slice(11, 16);
  if (kind === 'day') return `${clock(from)} to ${clock(until)} UTC`;
  return kind === 'year' ? MONTH().format(from) : en.day(from);
}

function transfersIn(count: number): string {
  return `${en.number(BigInt(count))} ${count === 1 ? 'transfer' : 'transfers'}`;
}
