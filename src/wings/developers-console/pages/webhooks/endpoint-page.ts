import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { appConsolePage } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import {
  answerText,
  deliveryBadge,
  deliveryWord,
  endpointState,
  recentText,
  shortUrl,
} from '../../../../pages/consoles/deliveries.ts';
import { pager } from '../../../../pages/consoles/pager.ts';
import { mayManage } from '../../../../service/managers.ts';
import type { OwnEndpoint } from '../../../../views/webhooks/show-webhooks.ts';
import { copyable } from '../../../../web/copyable.ts';
import { choice, hidden } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { DELIVERY_STATES, type DeliveriesWanted, type Delivery } from '../../../../webhooks/delivery-list.ts';
import { ROTATION_HOURS } from '../../../../webhooks/webhook-endpoints.ts';
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
<div><dt>URL</dt><dd>${copyable(en, endpoint.url, 'URL')}</dd></div>
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
${page.deliveries.length === 0 ? html`<p class="hint">${nothing}</p>` : deliveryTable(view)}
${pager(false, page.next && olderPath(view), 'Older deliveries')}`,
  );
}

function filters({ app, endpoint, wanted }: View): Markup {
  const states = DELIVERY_STATES.map((state) => [state, deliveryWord(state)] as const);
  return html`<form class="filters" method="get" action="${pathOfEndpoint(app.id, endpoint.id)}">
${choice({ name: 'state', label: 'State', value: wanted.state ?? '', options: [['', 'All'], ...states] })}
${typeSelect(wanted.type, 'All', 'only')}
<button class="secondary">Filter</button>
</form>`;
}

function olderPath({ app, endpoint, wanted: { state, type }, page }: View): string {
  const query = new URLSearchParams({ ...(state && { state }), ...(type && { type }), before: page.next! });
  return `${pathOfEndpoint(app.id, endpoint.id)}?${query}`;
}

function deliveryTable(view: View): Markup {
  const { app, endpoint, page } = view;
  const columns: ShownColumn<Delivery>[] = [
    { label: 'Event', value: ({ eventId, type }) => html`<a href="${pathOfEvent(app.id, eventId)}">${type}</a>` },
    { label: 'Time', value: ({ eventAt }) => eventAt },
    {
      label: 'State',
      value: (one) =>
        html`${deliveryBadge(one)}${one.attempts > 1 && html`<span class="hint">${one.attempts} attempts</span>`}`,
    },
    { label: 'Answer', value: answerText },
    { label: 'Next attempt', value: ({ nextAttemptAt }) => nextAttemptAt ?? 'none' },
  ];
  const maySend = mayManage(app, 'webhooks') && endpoint.disabledReason === null;
  const resend: ShownColumn<Delivery> = { label: '', kind: 'number', value: (one) => resendForm(view, one) };
  return dataTable('Deliveries, newest first', maySend ? [...columns, resend] : columns, page.deliveries);
}

function resendForm(view: View, { eventId, type, eventAt }: Delivery): Markup {
  const { app, endpoint } = view;
  const fields = html`${hidden('endpoint', endpoint.id)}<button class="small" aria-label="Resend ${type} of ${eventAt.toISOString()}">Resend</button>`;
  return consoleForm(view, `${pathOfEvent(app.id, eventId)}/redeliver`, pathOfEndpoint(app.id, endpoint.id), fields);
}
