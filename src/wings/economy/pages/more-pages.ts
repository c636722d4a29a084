import { html } from 'hono/html';
import { icon } from '../../../web/icons.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Period } from '../base/periods.ts';
import { periodAddress } from './period-choice.ts';

// The pages about the economy. The first ones show a part of it each, the others answer one question.

export const ECONOMY_PATH = '/operator';
export const SPENDERS_PATH = '/operator/economy/spenders';
export const LASTING_PATH = '/operator/economy/lasting';
export const NEVER_PAID_PATH = '/operator/economy/never-paid';
export const FARMED_PATH = '/operator/economy/look-farmed';
export const REFUSALS_PATH = '/operator/economy/refusals';
export const GAS_PATH = '/operator/economy/gas';
export const FLOWS_PATH = '/operator/economy/flows';
export const TIME_PATH = '/operator/economy/charts';
export const APPS_PATH = '/operator/economy/apps';
export const BALANCES_PATH = '/operator/economy/balances';

const PAGES = [
  { path: ECONOMY_PATH, label: 'Overview' },
  { path: FLOWS_PATH, label: 'Sources and sinks' },
  { path: TIME_PATH, label: 'Charts' },
  { path: APPS_PATH, label: 'Apps' },
  { path: BALANCES_PATH, label: 'Balances' },
  { path: SPENDERS_PATH, label: 'Top spenders' },
  { path: REFUSALS_PATH, label: 'Refused payments' },
  { path: GAS_PATH, label: 'Gas' },
  { path: LASTING_PATH, label: 'How long it lasts', isOfNow: true },
  { path: NEVER_PAID_PATH, label: 'Never paid', isOfNow: true },
  { path: FARMED_PATH, label: 'Look farmed', isOfNow: true },
];

export type EconomyPath = (typeof PAGES)[number]['path'];

/** Leads to all of these pages, and to the same period where they have one. `period`: null on a page that has none. */
export function economyPages(current: EconomyPath | null, period: Period | null): Markup {
  const link = ({ path, label, isOfNow = false }: (typeof PAGES)[number]) =>
    html`<a href="${period && !isOfNow ? periodAddress(path, period) : path}"${path === current && html` aria-current="page"`}>${label}</a>`;
  return html`<nav class="chips" aria-label="About the economy">${PAGES.map(link)}</nav>`;
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
