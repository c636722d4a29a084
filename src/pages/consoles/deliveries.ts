import { html } from 'hono/html';
import type { Markup } from '../../web/layout.ts';
import {
  type Delivery,
  type DeliveryState,
  MOST_COUNTED,
  type RecentDeliveries,
} from '../../webhooks/delivery-list.ts';
import type { Endpoint } from '../../webhooks/webhook-endpoints.ts';
import { badge, consoleTime } from './console.ts';

// How consoles show webhook endpoints and what became of deliveries.

/** A URL without its scheme, short enough for a table or a heading. */
export function shortUrl(url: string): string {
  const text = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

const DISABLED = {
  owner: 'We send nothing there.',
  gone: 'It responded with 410 (Gone).',
  failing: 'All deliveries failed for three days.',
} as const;

/** An endpoint's state as a badge, with the reason where there is one. */
export function endpointState({ disabledReason, failingSince }: Endpoint): Markup {
  if (disabledReason) return html`${badge('Disabled', 'bad')} <span class="hint">${DISABLED[disabledReason]}</span>`;
  if (failingSince)
    return html`${badge('Failing', 'wait')} <span class="hint">since ${consoleTime(failingSince)}</span>`;
  return badge('Enabled', 'good');
}

/** How many of the last day's deliveries arrived. */
export function recentText({ total, delivered }: RecentDeliveries): string {
  if (total === 0) return 'No deliveries';
  const percent = Math.floor((delivered / total) * 1000) / 10;
  return `${delivered} of ${total === MOST_COUNTED ? `the last ${total}` : total} (${percent}%)`;
}

const STATES: Readonly<Record<DeliveryState, readonly [word: string, kind: 'good' | 'wait' | 'bad']>> = {
  delivered: ['Delivered', 'good'],
  pending: ['Pending', 'wait'],
  failed: ['Failed', 'bad'],
};

export const deliveryWord = (state: DeliveryState): string => STATES[state][0];

export const deliveryBadge = ({ state }: Delivery): Markup => badge(...STATES[state]);

const FAULTS = {
  status: '',
  timeout: 'no answer in 10 seconds',
  tls: 'no secure connection',
  unreachable: 'unreachable',
} as const;

/** The answer to the last attempt. Only a word says why there was none: anything more could reveal our internal network. */
export function answerText({ deliveredAt, lastStatus, lastError, lastMs }: Delivery): string {
  if (!deliveredAt && !lastError) return 'no answer yet';
  const answer = lastStatus === null && lastError ? FAULTS[lastError] : String(lastStatus);
  return lastMs === null ? answer : `${answer} in ${lastMs} ms`;
}
