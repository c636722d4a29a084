import { html } from 'hono/html';
import { lazily } from '../../../base/lazily.ts';
import { PERIOD_KINDS } from '../../../economy/periods.ts';
import type { Economy, EconomyStep } from '../../../views/economy/economy.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { change, type Meaning } from './change.ts';

function figure(label: string, value: bigint | number, ...about: (Markup | string | false | null)[]): Markup {
  const notes = about.filter(Boolean).map((note) => html`<dd>${note}</dd>`);
  return html`<div class="figure"><dt>${label}</dt><dd>${words.number(BigInt(value))}</dd>${notes}</div>`;
}

/** Where the quarters are, at the end of the period. */
export function stockFigures({ sums, before, holds, counted }: Economy, isOver: boolean): Markup {
  const { stocks } = sums;
  const changed = (name: keyof typeof stocks) => change(stocks[name], before.stocks[name]);
  const onTheWay = holds && holds.players + holds.apps;
  const reserved = holds && holds.treasury > 0n && `${words.number(holds.treasury)} of it is reserved or on the way`;
  return html`<section aria-labelledby="stocks"><h2 id="stocks">${isOver ? 'Where quarters were at its end' : 'Where quarters are'}</h2>
<dl class="figures stocks">
${figure('Supply', stocks.supply, changed('supply'))}
${figure('Left in the treasury', stocks.treasury, reserved, changed('treasury'))}
${figure('In players’ hands', stocks.players, changed('players'))}
${figure('In apps’ hands', stocks.apps, changed('apps'))}
${onTheWay !== null && figure('On the way', onTheWay, 'Of what players and apps have')}
${figure('At outside addresses', stocks.outside, changed('outside'))}
</dl>
${counted.at === null && html`<p class="hint">Nothing is counted yet.</p>`}</section>`;
}

/** What happened in the period, each figure beside that of the period before. */
export function periodFigures(economy: Economy): Markup {
  const { sums, before, apps, steps, period } = economy;
  const counted = (
    label: string,
    name: Exclude<keyof typeof sums, 'flows' | 'stocks' | 'opening'>,
    meaning?: Meaning,
    ...notes: string[]
  ) => figure(label, sums[name] ?? 0, ...notes, change(sums[name] ?? 0, before[name] ?? 0, meaning));
  const payments = (of: readonly { readonly payments: number }[]) => of.reduce((sum, one) => sum + one.payments, 0);
  const made = payments(apps);
  const rewarded = share(sums.rewards, sums.paid);
  const busiest = busiestStep(steps);
  return html`<section aria-labelledby="moved"><h2 id="moved">What happened</h2>
<dl class="figures">
${counted('Spent by players', 'paid', 'more is good', ...(rewarded ? [`${rewarded} of it was rewards`] : []))}
${figure('Payment transfers', made, change(made, payments(apps.map((app) => app.before)), 'more is good'))}
${counted('Payers', 'payers', 'more is good', payersWords(economy))}
${counted('Payouts to players', 'paidOut')}
${counted('Refunds', 'refunded', 'more is bad')}
${counted('Issued', 'issued')}
${counted('Volume', 'volume', undefined, `In ${transfersIn(sums.count)}`)}
${counted('New guests', 'newGuests', 'more is good')}
${counted('Guests who became full users', 'becameFull', 'more is good')}
${counted('Signed up directly', 'signedUp', 'more is good')}
</dl>
${busiest && html`<p class="hint">${period.kind === 'day' ? 'Busiest hour' : period.kind === 'year' ? 'Busiest month' : 'Busiest day'}: ${stepWords(busiest, period.kind)}, with ${transfersIn(busiest.count)} and ${words.quarters(busiest.paid)} spent.</p>`}</section>`;
}

/** How many different players paid in the day, week and month that the period ends in. */
function payersWords({ activePayers, period }: Economy): string {
  const kinds = PERIOD_KINDS.filter((kind) => kind !== period.kind && kind !== 'year');
  return kinds
    .map(
      (kind) => `${words.number(BigInt(activePayers[kind]))} ${kind === 'day' ? 'on its last day' : `in its ${kind}`}`,
    )
    .join(', ');
}

/** A part in percent; null without a whole. */
function share(part: bigint, whole: bigint): string | null {
  return whole === 0n ? null : words.percent(Number(part) / Number(whole));
}

function busiestStep(steps: readonly EconomyStep[]): EconomyStep | null {
  const [first] = steps.toSorted((a, b) => b.count - a.count);
  return first && first.count > 0 ? first : null;
}

const MONTH = lazily(() => new Intl.DateTimeFormat(words.locale, { timeZone: 'UTC', month: 'long' }));

/** `18:00 to 19:00 UTC`, `23 November 2026`, `November`. */
function stepWords({ from, until }: EconomyStep, kind: Economy['period']['kind']): string {
  const clock = (date: Date) => date.toISOString().slice(11, 16);
  if (kind === 'day') return `${clock(from)} to ${clock(until)} UTC`;
  return kind === 'year' ? MONTH().format(from) : words.day(from);
}

function transfersIn(count: number): string {
  return `${words.number(BigInt(count))} ${count === 1 ? 'transfer' : 'transfers'}`;
}
