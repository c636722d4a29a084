import { html } from 'hono/html';
import { en } from '../../../words/en.ts';
import type { Markup } from '../../web/layout.ts';

/** A figure above everything else, and what stands below it. Empty notes are left out. */
export type Figure = readonly [
  label: string,
  value: Markup | string | bigint | number,
  ...notes: (Markup | string | false | null)[],
];

/** Figures in a row. */
export function figureRow(all: readonly (Figure | false)[]): Markup {
  const figure = ([label, value, ...notes]: Figure) => {
    const shown = typeof value === 'bigint' || typeof value === 'number' ? en.number(BigInt(value)) : value;
    return html`<div class="figure"><dt>${label}</dt><dd>${shown}</dd>${notes.filter(Boolean).map((note) => html`<dd>${note}</dd>`)}</div>`;
  };
  return html`<dl class="figures">${all.filter((each) => each !== false).map(figure)}</dl>`;
}

/** `12.5%`; a dash for null. */
export function percentText(percent: number | null): string {
  return percent === null ? '–' : en.percent(percent / 100);
}

/** What more of a figure means. Without it, neither more nor less is good or bad. */
export type Meaning = 'more is good' | 'more is bad' | undefined;

const asNumber = (value: bigint | number): string => en.number(BigInt(value));

/** How a figure has changed, in words: `Up 12.5% from 1,234`. Silent about what is new and about what was never there: the figure says it. */
function changeWords(now: bigint | number, before: bigint | number): string {
  const from = `from ${asNumber(before)}`;
  if (Number(now) === Number(before)) return Number(now) === 0 ? '' : 'The same as before';
  const direction = Number(now) > Number(before) ? 'Up' : 'Down';
  if (Number(before) === 0) return '';
  const share = Math.abs(Number(now) - Number(before)) / Math.abs(Number(before));
  if (share >= 10) return `${direction} ${from}`;
  return `${direction} ${share < 0.0005 ? 'less than 0.1%' : en.percent(share)} ${from}`;
}

/** How a figure has changed since the period before, in a colour where that is good or bad. Empty where there is nothing to say. */
export function changeSince(now: bigint | number, before: bigint | number, meaning?: Meaning): Markup | '' {
  const said = changeWords(now, before);
  if (said === '') return '';
  if (meaning === undefined || Number(now) === Number(before)) return html`${said}`;
  const isGood = Number(now) > Number(before) === (meaning === 'more is good');
  return html`<span class="${isGood ? 'good' : 'bad'}">${said}</span>`;
}
