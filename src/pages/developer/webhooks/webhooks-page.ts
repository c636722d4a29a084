import { html } from 'hono/html';
import type { OwnWebhooks } from '../../../features/webhooks/endpoints.ts';
import type { App } from '../../../identity/apps.ts';
import { copyable } from '../../../web/copyable.ts';
import { field, hidden } from '../../../web/fields.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import type { Delivery } from '../../../webhooks/deliveries.ts';
import { type Endpoint, MAX_ENDPOINTS, ROTATION_HOURS } from '../../../webhooks/endpoints.ts';
import { EVENT_TYPES, type EventType } from '../../../webhooks/events.ts';
import { appConsolePage, consoleTime } from '../console.ts';

/** A refused form. `endpoint`: null if it was to add one. */
export type RefusedUrl = {
  readonly endpoint: string | null;
  readonly url: string;
  readonly types: readonly EventType[] | null;
  readonly error: string;
};

type View = OwnWebhooks & {
  readonly csrf: string;
  readonly notice?: string | undefined;
  readonly refused?: RefusedUrl;
};

type Shown = OwnWebhooks['endpoints'][number];

/** An app's endpoints with their recent deliveries. */
export function webhooksPage(view: View): Page {
  const { app, endpoints, notice } = view;
  const content = html`${notice && html`<p class="notice" role="status">${notice}</p>`}
<p>We send your server signed events about payments and guests, each at least once. We retry for up to three days until we get a 2xx response. Missed events are in <code>GET /v1/events</code>.</p>
${endpoints.map((endpoint, i) => endpointSection(view, endpoint, i + 1))}
${endpoints.length < MAX_ENDPOINTS && addSection(view)}`;
  return appConsolePage(app, 'webhooks', { title: 'Webhooks', content });
}

function carried({ app, csrf }: View, endpoint?: Endpoint): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', pathOf(app.id))}${hidden('endpoint', endpoint?.id)}`;
}

function pathOf(appId: string): string {
  return `/developer/apps/${appId}/webhooks`;
}

function addSection(view: View): Markup {
  const refused = view.refused?.endpoint === null ? view.refused : undefined;
  return html`<section class="card">
<h2>Add an endpoint</h2>
<form method="post" action="${pathOf(view.app.id)}">
${carried(view)}
${endpointFields('', refused?.url ?? '', refused?.types ?? null, refused?.error)}
<button class="secondary">Add endpoint</button>
</form>
</section>`;
}

/** `suffix`: makes the ids of each form unique. */
function endpointFields(suffix: string, url: string, types: readonly EventType[] | null, error?: string): Markup {
  return html`${field({ name: `url${suffix}`, label: 'URL', type: 'url', value: url, maxlength: 2000, hint: 'A public https:// address.', error })}
<details>
<summary>${types === null ? 'All events' : `${types.length} event ${types.length === 1 ? 'type' : 'types'}`}</summary>
<fieldset>
<legend>Send only these; leave empty for all, including future ones</legend>
${EVENT_TYPES.map(
  (type) =>
    html`<label class="choice"><input type="checkbox" name="${type}" value="on"${types?.includes(type) && html` checked`}>${type}</label>`,
)}
</fieldset>
</details>`;
}

function endpointSection(view: View, endpoint: Shown, number: number): Markup {
  const base = pathOf(view.app.id);
  const refused = view.refused?.endpoint === endpoint.id ? view.refused : undefined;
  const form = (verb: string, label: string, of = '') => html`<form method="post" action="${base}/${verb}">
${carried(view, endpoint)}
<button class="small" aria-label="${label}${of} endpoint ${number}">${label}</button>
</form>`;
  const { disabledReason } = endpoint;
  return html`<section class="card">
<h2>Endpoint ${number}</h2>
<p><code>${endpoint.url}</code></p>
<p>${stateOf(endpoint)}</p>
<div class="actions">${disabledReason ? form('enable', 'Enable') : form('disable', 'Disable')}${form('rotate', 'Replace secret', ' of')}</div>
<p class="hint">The old secret keeps working for ${ROTATION_HOURS} hours.</p>
<details${refused && html` open`}>
<summary>Change endpoint ${number}…</summary>
<form method="post" action="${base}/change">
${carried(view, endpoint)}
${endpointFields(`-${number}`, refused?.url ?? endpoint.url, refused ? refused.types : endpoint.types, refused?.error)}
${hidden('number', String(number))}
<button class="secondary">Save</button>
</form>
</details>
<details>
<summary>Remove endpoint ${number}…</summary>
<p class="hint">We stop sending events there immediately.</p>
${form('remove', 'Remove')}
</details>
${deliveryList(view, endpoint)}
</section>`;
}

function stateOf({ disabledReason, failingSince }: Endpoint): Markup {
  if (disabledReason === 'owner') return html`<strong>Disabled</strong>: we send nothing there.`;
  if (disabledReason === 'gone') return html`<strong>Disabled</strong>: it responded with 410 (Gone).`;
  if (disabledReason === 'failing') return html`<strong>Disabled</strong>: all deliveries failed for three days.`;
  if (failingSince) return html`<strong>Failing</strong> since ${moment(failingSince)}: we retry failed deliveries.`;
  return html`<strong>Enabled</strong>.`;
}

function deliveryList(view: View, endpoint: Shown): Markup {
  if (endpoint.deliveries.length === 0) return html`<p class="hint">No deliveries yet.</p>`;
  return html`<p class="lead">Recent deliveries</p>
<ul class="rows">${endpoint.deliveries.map((delivery) => deliveryRow(view, endpoint, delivery))}</ul>`;
}

function deliveryRow(view: View, endpoint: Endpoint, delivery: Delivery): Markup {
  const { eventId, type, eventAt } = delivery;
  return html`<li class="key">
<div>
<p>${type} <span class="hint">${consoleTime(eventAt)}</span></p>
<p class="hint">${outcomeOf(delivery)}</p>
</div>
${
  endpoint.disabledReason === null &&
  html`<form method="post" action="${pathOf(view.app.id)}/redeliver">
${carried(view, endpoint)}${hidden('event', eventId)}
<button class="small" aria-label="Resend ${type} of ${moment(eventAt)}">Resend</button>
</form>`
}
</li>`;
}

const FAULTS = {
  status: 'not 2xx',
  timeout: 'timeout',
  tls: 'no secure connection',
  unreachable: 'unreachable',
} as const;

/** Only a status and a word: anything more could reveal our internal network. */
function outcomeOf({ attempts, deliveredAt, nextAttemptAt, lastStatus, lastError }: Delivery): string {
  if (deliveredAt) return `Delivered, ${lastStatus}, attempt ${attempts}`;
  const state = nextAttemptAt ? 'Pending' : 'Failed';
  if (!lastError) return `${state}, no response yet`;
  const status = lastStatus === null ? '' : `${lastStatus}, `;
  return `${state}, ${status}${FAULTS[lastError]}, attempt ${attempts}`;
}

function moment(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Shows a new secret, once. */
export function webhookSecretPage(app: App, secret: string): Page {
  const content = html`<p class="notice" role="status">Copy this now: we show it only once.</p>
<section class="card">
<p>${copyable(secret, 'webhook secret')}</p>
<p>Use it to verify that events come from us, as the Standard Webhooks specification describes. Most languages have a library.</p>
<form method="get" action="${pathOf(app.id)}"><button class="primary">I’ve saved it</button></form>
</section>`;
  return appConsolePage(app, 'webhooks', { title: 'Your webhook secret', content });
}
