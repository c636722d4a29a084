import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import type { Markup } from '../../../web/layout.ts';
import { periodBefore } from '../base/periods.ts';
import type { CountedUpTo, Economy } from '../views/economy.ts';
import { periodWords, utcMoment } from './period-words.ts';

/** How soon a page looks again while older postings are still being counted. */
export const COUNT_AGAIN_SECONDS = 5;

/** Up to where the figures are counted, and a warning while counting is behind. */
export function countedNotice({ block, at, isWhole }: CountedUpTo): Markup {
  const upTo =
    block === null || at === null
      ? 'Nothing is counted yet.'
      : `Counted up to block ${en.number(block)}, ${utcMoment(at)}.`;
  return isWhole
    ? html`<p class="hint">${upTo}</p>`
    : html`<p class="notice" role="status">Counting is behind. ${upTo} Later transfers are missing. This page looks again in a moment.</p>`;
}

/** What the changes compare with. */
export function comparedWith({ period, comparedUntil }: Pick<Economy, 'period' | 'comparedUntil'>): string {
  const before = periodWords(periodBefore(period));
  return comparedUntil === null
    ? `Compared with ${before}.`
    : `Compared with ${before} up to ${utcMoment(comparedUntil)}.`;
}
