import { html } from 'hono/html';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';

/** What more of a figure means. Without it, neither more nor less is good or bad. */
export type Meaning = 'more is good' | 'more is bad' | undefined;

/** How a figure has changed since the period before, in words: `Up 12.5% from 1,234`. Silent about what is new: the figure says it. */
function changeWords(now: bigint | number, before: bigint | number): string {
  const from = `from ${words.number(BigInt(before))}`;
  if (Number(now) === Number(before)) return Number(now) === 0 ? 'None before either' : `The same as before`;
  const direction = Number(now) > Number(before) ? 'Up' : 'Down';
  if (Number(before) === 0) return '';
  const share = Math.abs(Number(now) - Number(before)) / Math.abs(Number(before));
  if (share >= 10) return `${direction} ${from}`;
  return `${direction} ${share < 0.0005 ? 'less than 0.1%' : words.percent(share)} ${from}`;
}

/** The same, in a colour where it is good or bad. Empty where there is nothing to say. */
export function change(now: bigint | number, before: bigint | number, meaning?: Meaning): Markup | '' {
  const said = changeWords(now, before);
  if (said === '') return '';
  if (meaning === undefined || Number(now) === Number(before)) return html`${said}`;
  const isGood = Number(now) > Number(before) === (meaning === 'more is good');
  return html`<span class="${isGood ? 'good' : 'bad'}">${said}</span>`;
}
