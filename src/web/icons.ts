import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/** Line drawings of ours on a grid of 24 units, with a stroke of 1.75 in the colour of the text. */
const DRAWINGS = {
  check: html`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  minus: html`<path d="M6 12h12"/>`,
  alert: html`<path d="M12 6.5v7"/><path d="M12 17.25v.01"/>`,
  clock: html`<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5.25l3.25 2"/>`,
  chevron: html`<path d="m9.5 6 6 6-6 6"/>`,
  back: html`<path d="m14.5 6-6 6 6 6"/>`,
  external: html`<path d="M9.5 5.5h-4v13h13v-4M13.5 5.5h5v5M18.5 5.5l-8 8"/>`,
  search: html`<circle cx="11" cy="11" r="6"/><path d="m15.5 15.5 4 4"/>`,
  shield: html`<path d="M12 3.5 5 6v5.5c0 4.25 2.75 7.5 7 9 4.25-1.5 7-4.75 7-9V6z"/><path d="m9 12 2.25 2.25L15.25 10"/>`,
  key: html`<circle cx="8" cy="15.5" r="4"/><path d="m11 12.5 8-8M16 7.5l2.5 2.5"/>`,
  person: html`<circle cx="12" cy="8.5" r="3.75"/><path d="M5 19.5c1-3.5 3.5-5 7-5s6 1.5 7 5"/>`,
  mail: html`<rect x="3.75" y="5.75" width="16.5" height="12.5" rx="2"/><path d="m4.5 7.5 7.5 5.5 7.5-5.5"/>`,
  globe: html`<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c-5 5-5 12 0 17 5-5 5-12 0-17z"/>`,
  lock: html`<rect x="5" y="10.5" width="14" height="9.5" rx="2"/><path d="M8.25 10.5V8a3.75 3.75 0 0 1 7.5 0v2.5"/>`,
  screen: html`<rect x="3.5" y="5" width="17" height="11.5" rx="2"/><path d="M8.5 20h7"/>`,
  fingerprint: html`<path d="M4.5 12a7.5 7.5 0 0 1 15 0M8 20c.8-2.5 1-5 1-8a3 3 0 0 1 6 0c0 2.5-.2 5-.8 7.5M12 12c0 3.25-.25 6-1 8.5M5 17.5c.4-1.75.5-3.5.5-5.5M19 16.5c.3-1.5.5-3 .5-4.5"/>`,
  download: html`<path d="M12 4v11M7.5 10.5 12 15l4.5-4.5M5 19.5h14"/>`,
  games: html`<rect x="2.75" y="7" width="18.5" height="10.5" rx="5.25"/><path d="M7.5 10.5v3.5M5.75 12.25h3.5M15.5 11.25v.01M17.75 13.5v.01"/>`,
  code: html`<path d="m8.5 7.5-5 4.5 5 4.5M15.5 7.5l5 4.5-5 4.5"/>`,
  flag: html`<path d="M6 20.5v-16h11l-2 4 2 4H6"/>`,
  copy: html`<rect x="8.5" y="8.5" width="11" height="11" rx="2"/><path d="M15.5 5.5v-1h-11v11h1"/>`,
  chart: html`<path d="M4.5 4.5v15h15M8.5 15v-4M12.5 15V7.5M16.5 15v-5.5"/>`,
  payments: html`<path d="M4 8.5h13.5M14 5l3.5 3.5L14 12M20 15.5H6.5M10 12l-3.5 3.5L10 19"/>`,
  exchange: html`<path d="M4 8h14.5M15 4.5 18.5 8 15 11.5M20 16H5.5M9 12.5 5.5 16 9 19.5"/>`,
  list: html`<path d="M5 7h14M5 12h14M5 17h9"/>`,
  bell: html`<path d="M6.5 16.5v-6a5.5 5.5 0 0 1 11 0v6l1.5 1.5h-14zM10 20.5h4"/>`,
  team: html`<circle cx="9" cy="8.5" r="3.25"/><path d="M3 19c.75-3.25 2.75-4.75 6-4.75S14.25 15.75 15 19M15.5 5.5a3.25 3.25 0 0 1 0 6M17.25 14.75c2 .5 3.25 1.9 3.75 4.25"/>`,
  settings: html`<path d="M4 7.5h8M17 7.5h3M4 16.5h3M12 16.5h8"/><circle cx="14.5" cy="7.5" r="2.5"/><circle cx="9.5" cy="16.5" r="2.5"/>`,
  book: html`<path d="M12 6.5C10 5 7.5 4.5 4.5 4.5v13c3 0 5.5.5 7.5 2 2-1.5 4.5-2 7.5-2v-13c-3 0-5.5.5-7.5 2zM12 6.5v13"/>`,
  pulse: html`<path d="M3.5 12.5H8l2.5-7 4 13 2.25-6h3.75"/>`,
  scales: html`<path d="M12 4.5v15M7.5 19.5h9M5 7h14M5 7l-2.5 6.5a2.75 2.75 0 0 0 5 0zM19 7l-2.5 6.5a2.75 2.75 0 0 0 5 0z"/>`,
  plus: html`<path d="M12 5.5v13M5.5 12h13"/>`,
  leave: html`<path d="M14 4.5H5.5v15H14M10.5 12h9.5M16.5 8.5 20 12l-3.5 3.5"/>`,
} as const;

export type IconName = keyof typeof DRAWINGS;

/** Those that point on or back, so that they turn with the direction of a page. */
const TURNING: ReadonlySet<IconName> = new Set(['chevron', 'back', 'external', 'leave']);

/** A drawing beside words that say the same, so it is hidden from screen readers. */
export function icon(name: IconName): Markup {
  return html`<svg class="icon${TURNING.has(name) && ' turning'}" viewBox="0 0 24 24" aria-hidden="true">${DRAWINGS[name]}</svg>`;
}

/** The coin, in the accent: a disc with a quarter of it raised. It carries the identity of every page. */
export function coin(): Markup {
  return html`<svg class="coin" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="16"/><circle cx="16" cy="16" r="11.5"/><path d="M16 16V4.5A11.5 11.5 0 0 1 27.5 16z"/></svg>`;
}
