import { html } from 'hono/html';
import { icon } from '../../../web/icons.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Period } from '../base/periods.ts';
import { periodAddress } from './period-choice.ts';

// The pages that answer one question each about the economy.

export const SPENDERS_PATH = '/operator/economy/spenders';
export const LASTING_PATH = '/operator/economy/lasting';
export const NEVER_PAID_PATH = '/operator/economy/never-paid';
export const FARMED_PATH = '/operator/economy/look-farmed';
export const REFUSALS_PATH = '/operator/economy/refusals';
export const GAS_PATH = '/operator/economy/gas';

/** Leads from the economy to these pages, and to the same period where they have one. */
export function morePages(period: Period): Markup {
  return html`<nav class="chips" aria-label="More about the economy"><a href="${periodAddress(SPENDERS_PATH, period)}">Top spenders</a><a href="${NEVER_PAID_PATH}">Never paid</a><a href="${FARMED_PATH}">Look farmed</a><a href="${LASTING_PATH}">How long it lasts</a><a href="${periodAddress(REFUSALS_PATH, period)}">Refused payments</a><a href="${periodAddress(GAS_PATH, period)}">Gas</a></nav>`;
}

/** Downloads the table above it. */
export function csvFile(address: string, label = 'Download CSV'): Markup {
  return html`<p class="files"><a href="${address}">${icon('download')}${label}</a></p>`;
}

/** Tables show so many rows. The file has all that were found or kept. */
export const MOST_ROWS = 200;

export function onlyFirst(rows: number): Markup | false {
  return rows > MOST_ROWS && html`<p class="hint">The first ${MOST_ROWS}. The file has ${rows}.</p>`;
}

export const backToEconomy: Markup = html`<a href="/operator">Back to the economy</a>`;
