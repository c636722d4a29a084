import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { appConsolePage, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { badge, consoleForm, consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { answerText, deliveryBadge, shortUrl } from '../../../../pages/consoles/deliveries.ts';
import { mayManage } from '../../../../service/managers.ts';
import type { OwnEvent } from '../../../../views/webhooks/show-webhooks.ts';
import { copyable, copyBlock } from '../../../../web/copyable.ts';
import { hidden } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { eventJson } from '../../../../webhooks/events.ts';
import type { Endpoint } from '../../../../webhooks/webhook-endpoints.ts';
import { listenCommands, pathOfEndpoint, pathOfEvent, pathOfEvents } from './webhook-parts.ts';

type View = OwnEvent & { readonly csrf: string; readonly notice?: string | undefined };

/** One event: where it was sent, and what is sent. */
export function eventPage(view: View): Page {
  const { app, event, notice } = view;
  const content = html`${notice && html`<p class="notice" role="status">${notice}</p>`}
<p class="lead"><a href="${pathOfEvents(app.id)}">All events</a></p>
${factsPanel(view)}
${deliveriesPanel(view)}
${panel('Payload', copyBlock(en, JSON.stringify(eventJson(event), null, 2), 'payload'))}
${headersPanel(view)}
${panel('On your own machine', html`<p>This sends it, and all later events, to your own machine.</p>${listenCommands(app.id, event.id)}`)}`;
  return appConsolePage(app, 'webhooks', { title: event.type, content });
}

function factsPanel({ app, event }: View): Markup {
  const { requestId } = event;
  return html`<section class="card">
<dl>
<div><dt>Id</dt><dd>${copyable(en, event.id, 'event id')}</dd></div>
<div><dt>Time</dt><dd>${consoleTime(event.createdAt)}</dd></div>
${requestId && html`<div><dt>Payment</dt><dd><a href="${pathOfApp(app.id)}/payments/${requestId}">${requestId}</a></dd></div>`}
${isTest(event.data) && html`<div><dt>Kind</dt><dd>${badge('Test event')} <span class="hint">No payment belongs to it.</span></dd></div>`}
</dl>
</section>`;
}

const isTest = (data: object): boolean => (data as { test?: unknown }).test === true;

function deliveriesPanel(view: View): Markup {
  const { app, deliveries, endpoints, event } = view;
  const takers = endpoints.filter(({ disabledAt, types }) => !disabledAt && (types?.includes(event.type) ?? true));
  const path = pathOfEvent(app.id, event.id);
  const isUnderWay = deliveries.some(({ state }) => state === 'pending');
  const may = mayManage(app, 'webhooks');
  const sends = may && (takers.length > 1 || (takers.length === 1 && deliveries.length === 0));
  const button = html`<button class="small">${sendLabel(takers)}</button>`;
  return panel(
    'Deliveries',
    html`${
      deliveries.length === 0
        ? html`<p class="hint">It was sent to no endpoint.</p>`
        : html`<ul class="rows">${deliveries.map((delivery) => deliveryItem(view, delivery))}</ul>`
    }
${
  (sends || isUnderWay) &&
  html`<div class="actions">${sends && consoleForm(view, `${path}/redeliver`, path, button)}${isUnderWay && html`<a href="${path}">Refresh</a>`}</div>`
}`,
  );
}

function sendLabel(takers: readonly Endpoint[]): string {
  return takers.length === 1 ? `Send to ${shortUrl(takers[0]!.url)}` : `Send to all ${takers.length} endpoints`;
}

function deliveryItem(view: View, delivery: View['deliveries'][number]): Markup {
  const { endpoint, attempts, deliveredAt, lastFailedAt, nextAttemptAt, lastError, lastAnswer } = delivery;
  const at = deliveredAt ?? lastFailedAt;
  return html`<li>
<div>
<p>${deliveryBadge(delivery)} ${endpointLink(view, endpoint)}</p>
<p class="hint">${answerText(delivery)}${at && html` · ${consoleTime(at)}`} · ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}${
    lastError && nextAttemptAt && html` · next ${consoleTime(nextAttemptAt)}`
  }</p>
${lastAnswer && html`<pre class="answer" tabindex="0" aria-label="Answer">${lastAnswer}</pre>`}
</div>
${mayManage(view.app, 'webhooks') && endpoint?.disabledReason === null && resendForm(view, endpoint)}
</li>`;
}

function endpointLink({ app }: View, endpoint: Endpoint | null): Markup {
  if (!endpoint) return html`an endpoint that was removed`;
  return html`<a href="${pathOfEndpoint(app.id, endpoint.id)}">${shortUrl(endpoint.url)}</a>`;
}

function resendForm(view: View, { id, url }: Endpoint): Markup {
  const path = pathOfEvent(view.app.id, view.event.id);
  const fields = html`${hidden('endpoint', id)}<button class="small" aria-label="Resend to ${shortUrl(url)}">Resend</button>`;
  return consoleForm(view, `${path}/redeliver`, path, fields);
}

function headersPanel({ event }: View): Markup {
  return panel(
    'Headers',
    html`<dl>
<div><dt>webhook-id</dt><dd>${copyable(en, event.id, 'webhook-id')}</dd></div>
<div><dt>webhook-timestamp</dt><dd>seconds since 1970 when it is sent</dd></div>
<div><dt>webhook-signature</dt><dd><code>v1,…</code> for each secret of the endpoint</dd></div>
<div><dt>content-type</dt><dd><code>application/json</code></dd></div>
<div><dt>user-agent</dt><dd><code>Quarters-Webhooks</code></dd></div>
</dl>`,
  );
}
