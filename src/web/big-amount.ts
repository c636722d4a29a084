import { html } from 'hono/html';
import type { Quarters } from '../base/quarters.ts';
import type { Words } from '../words/words.ts';
import { coin } from './icons.ts';
import type { Markup } from './layout.ts';

/** The amount as the largest thing on a page, with its unit. */
export function bigAmount(words: Words, amount: Quarters): Markup {
  const digits = words.number(amount);
  const size = digits.length <= 6 ? 'short' : digits.length <= 13 ? 'middle' : 'long';
  return html`<strong class="amount ${size}">${coin()}${digits}</strong> <span class="unit">${words.unit(amount)}</span>`;
}
