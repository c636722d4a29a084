import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { App } from '../../../../identity/apps.ts';
import { appConsolePage } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { endpointState, recentText, shortUrl } from '../../../../pages/consoles/deliveries.ts';
import { mayManage } from '../../../../service/managers.ts';
import { ENDPOINT_COLUMNS } from '../../../../views/webhooks/endpoint-columns.ts';
import type { OwnWebhooks, ShownEndpoint } from '../../../../views/webhooks/show-webhooks.ts';
import { copyable } from '../../../../web/copyable.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { EventType } from '../../../../webhooks/event-types.ts';
import { MAX_ENDPOINTS } from '../../../../webhooks/webhook-endpoints.ts';
import {
  endpointFields,
  listenCommands,
  openDeliveries,
  pathOfEndpoint,
  pathOfEvents,
  pathOfWebhooks,
  testEventForm,
  typesText,
} from './webhook-parts.ts';

/** A refused form: what was given, and what is wrong with it. */
export type RefusedEndpoint = {
  readonly url: string;
  readonly types: readonly EventType[] | null;
  readonly error: string;
};

type View = OwnWebhooks & {
  readonly csrf: string;
  readonly notice?: string | undefined;
  readonly refused?: RefusedEndpoint | undefined;
};

/** An app's endpoints. */
export function webhooksPage(view: View): Page {
  const { app, endpoints, notice } = view;
  const path = pathOfWebhooks(app.id);
  const isNew = endpoints.length === 0;
  const may = mayManage(app, 'webhooks');
  const content = html`${notice && html`<p class="notice" role="status">${notice}</p>`}
${isNew ? onYourMachine(app) : endpointsPanel(view)}
${may && endpoints.length < MAX_ENDPOINTS && addPanel(view)}
${may && panel('Send a test event', testEventForm(view, app.id, path))}
${!isNew && onYourMachine(app)}`;
  const action = html`<a class="secondary" href="${pathOfEvents(app.id)}">All events</a>`;
  return appConsolePage(app, 'webhooks', { title: 'Webhooks', content, action });
}

function onYourMachine(app: App): Markup {
  return panel(
    'On your own machine',
    html`<p>The first command forwards the events of your app to your own machine, as they happen. The second one makes an event to try it with. Both run where Quarters runs.</p>
${listenCommands(app.id)}
<p class="hint"><code>listen</code> prints the secret that verifies the events. It stays the same.</p>`,
  );
}

function endpointsPanel({ app, endpoints }: View): Markup {
  const { url, state, types } = ENDPOINT_COLUMNS;
  const columns: ShownColumn<ShownEndpoint>[] = [
    { ...url, value: (one) => html`<a href="${pathOfEndpoint(app.id, one.id)}">${shortUrl(one.url)}</a>` },
    { ...state, value: (one) => html`${endpointState(one)}${openDeliveries(app.id, one)}` },
    { ...types, value: (one) => typesText(one.types) },
    { label: 'Delivered in 24 hours', kind: 'number', value: ({ recent }) => recentText(recent) },
  ];
  return panel(
    'Endpoints',
    html`${dataTable('Endpoints of the app', columns, endpoints)}
<p class="hint">We retry for up to three days until we get a 2xx response.</p>`,
  );
}

function addPanel(view: View): Markup {
  const { app, refused } = view;
  const path = pathOfWebhooks(app.id);
  const fields = html`${endpointFields(refused?.url ?? '', refused?.types ?? null, refused?.error)}
<button class="secondary">Add endpoint</button>`;
  return panel('Add an endpoint', consoleForm(view, path, path, fields));
}

/** Shows a new secret, once. `back`: the page of its endpoint. */
export function webhookSecretPage(app: App, secret: string, back: string): Page {
  const content = html`<p class="notice" role="status">Copy this now: we show it only once.</p>
<section class="card">
<p>${copyable(en, secret, 'webhook secret')}</p>
<p>Use it to verify that events come from us, as the Standard Webhooks specification describes. Most languages have a library.</p>
<form method="get" action="${back}"><button class="primary">I’ve saved it</button></form>
</section>`;
  return appConsolePage(app, 'webhooks', { title: 'Your webhook secret', content });
}
