import { html } from 'hono/html';
import { mayManage } from '../../../service/managers.ts';
import type { OwnEndpoint } from '../../../views/webhooks/show-webhooks.ts';
import { copyable } from '../../../web/copyable.ts';
import { hidden } from '../../../web/fields.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { DELIVERY_STATES, type DeliveriesWanted, type Delivery } from '../../../webhooks/delivery-list.ts';
import { ROTATION_HOURS } from '../../../webhooks/endpoints.ts';
import { consoleForm, consoleTime, panel } from '../../consoles/console.ts';
import { consoleTable } from '../../consoles/console-table.ts';
import {
  answerText,
  deliveryBadge,
  deliveryWord,
  endpointState,
  recentText,
  shortUrl,
} from '../../consoles/deliveries.ts';
import { appConsolePage } from '../console.ts';
import {
  endpointFields,
  openDeliveries,
  pathOfEndpoint,
  pathOfEvent,
  pathOfWebhooks,
  testEventForm,
  typeSelect,
  typesText,
} from './webhook-parts.ts';
import type { RefusedEndpoint } from './webhooks-page.ts';

type View = OwnEndpoint & {
  readonly csrf: string;
  readonly wanted: DeliveriesWanted;
  readonly notice?: string | undefined;
  readonly refused?: RefusedEndpoint | undefined;
};

/** One endpoint and its deliveries. */
export function endpointPage(view: View): Page {
  const { app, endpoint, notice } = view;
  const path = pathOfEndpoint(app.id, endpoint.id);
  const may = mayManage(app, 'webhooks');
  const content = html`${notice && html`<p class="notice" role="status">${notice}</p>`}
<p class="lead"><a href="${pathOfWebhooks(app.id)}">All endpoints</a></p>
${factsPanel(view)}
${deliveriesPanel(view)}
${may && endpoint.disabledReason === null && panel('Send a test event', testEventForm(view, app.id, path, endpoint))}
${may && changePanel(view)}`;
  return appConsolePage(app, 'webhooks', { title: shortUrl(endpoint.url), content });
}

function button(view: View, verb: string, label: string): Markup {
  const path = pathOfEndpoint(view.app.id, view.endpoint.id);
  return consoleForm(view, `${path}/${verb}`, path, html`<button class="small">${label}</button>`);
}

function factsPanel(view: View): Markup {
  const { endpoint } = view;
  const isDisabled = endpoint.disabledReason !== null;
  return html`<section class="card">
<dl>
<div><dt>URL</dt><dd>${copyable(endpoint.url, 'URL')}</dd></div>
<div><dt>State</dt><dd>${endpointState(endpoint)}</dd></div>
<div><dt>Types</dt><dd>${endpoint.types?.join(', ') ?? typesText(null)}</dd></div>
<div><dt>Delivered in 24 hours</dt><dd>${recentText(endpoint.recent)}${openDeliveries(view.app.id, endpoint)}</dd></div>
</dl>
${
  mayManage(view.app, 'webhooks') &&
  html`<div class="actions">${isDisabled ? button(view, 'enable', 'Enable') : button(view, 'disable', 'Disable')}${button(view, 'rotate', 'Replace secret')}</div>
<p class="hint">The old secret keeps working for ${ROTATION_HOURS} hours.</p>`
}
</section>`;
}

function changePanel(view: View): Markup {
  const { app, endpoint, refused } = view;
  const path = pathOfEndpoint(app.id, endpoint.id);
  const fields = html`${endpointFields(refused?.url ?? endpoint.url, refused ? refused.types : endpoint.types, refused?.error)}
<button class="secondary">Save</button>`;
  return panel(
    'Change or remove',
    html`${consoleForm(view, `${path}/change`, path, fields)}
<details>
<summary>Remove this endpoint…</summary>
<p class="hint">We stop sending events there immediately.</p>
${button(view, 'remove', 'Remove')}
</details>`,
  );
}

function deliveriesPanel(view: View): Markup {
  const { wanted, page } = view;
  const isFiltered = wanted.state !== null || wanted.type !== null || wanted.before !== null;
  const nothing = isFiltered ? 'No deliveries here.' : 'No deliveries yet.';
  return panel(
    'Deliveries',
    html`${filters(view)}
${
  page.deliveries.length === 0
    ? html`<p class="hint">${nothing}</p>`
    : consoleTable(
        'Deliveries, newest first',
        html`<thead><tr><th>Event</th><th>Time</th><th>State</th><th>Answer</th><th>Next attempt</th><th><span class="visually-hidden">Actions</span></th></tr></thead>
<tbody>${page.deliveries.map((delivery) => deliveryRow(view, delivery))}</tbody>`,
      )
}
${page.next && html`<p><a href="${olderPath(view)}">Older deliveries</a></p>`}`,
  );
}

function filters({ app, endpoint, wanted }: View): Markup {
  return html`<form class="filters" method="get" action="${pathOfEndpoint(app.id, endpoint.id)}">
<div class="field"><label for="state">State</label>
<select id="state" name="state"><option value="">All</option>${DELIVERY_STATES.map(
    (state) =>
      html`<option value="${state}"${state === wanted.state && html` selected`}>${deliveryWord(state)}</option>`,
  )}</select></div>
${typeSelect(wanted.type, 'All', 'only')}
<button class="secondary">Filter</button>
</form>`;
}

function olderPath({ app, endpoint, wanted: { state, type }, page }: View): string {
  const query = new URLSearchParams({ ...(state && { state }), ...(type && { type }), before: page.next! });
  return `${pathOfEndpoint(app.id, endpoint.id)}?${query}`;
}

function deliveryRow(view: View, delivery: Delivery): Markup {
  const { app, endpoint } = view;
  const { eventId, type, eventAt, nextAttemptAt, attempts } = delivery;
  const path = pathOfEndpoint(app.id, endpoint.id);
  const resend = html`${hidden('endpoint', endpoint.id)}<button class="small" aria-label="Resend ${type} of ${eventAt.toISOString()}">Resend</button>`;
  return html`<tr>
<td><a href="${pathOfEvent(app.id, eventId)}">${type}</a></td>
<td data-label="Time">${consoleTime(eventAt)}</td>
<td data-label="State"><span>${deliveryBadge(delivery)}${attempts > 1 && html`<span class="hint">${attempts} attempts</span>`}</span></td>
<td data-label="Answer">${answerText(delivery)}</td>
<td data-label="Next attempt">${nextAttemptAt ? consoleTime(nextAttemptAt) : 'none'}</td>
<td class="number">${mayManage(app, 'webhooks') && endpoint.disabledReason === null && consoleForm(view, `${pathOfEvent(app.id, eventId)}/redeliver`, path, resend)}</td>
</tr>`;
}
