import { html } from 'hono/html';
import type { App } from '../../../../identity/apps.ts';
import { consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { answerText, deliveryBadge, shortUrl } from '../../../../pages/consoles/deliveries.ts';
import type { InspectedPayment, NotifiedEvent, SentDelivery } from '../../../../views/payments/inspect-payment.ts';
import type { Markup } from '../../../../web/layout.ts';
import { pathOfEndpoint, pathOfEvent } from '../webhooks/webhook-parts.ts';

/** The events about a request, each with its deliveries. */
export function eventsPanel(app: App, { events, hasAllEvents }: InspectedPayment): Markup {
  const missing = !hasAllEvents && html`<p class="hint">Events are kept for 30 days. Older ones are not shown.</p>`;
  if (events.length === 0) return panel('Webhooks', html`${missing || html`<p class="hint">No events yet.</p>`}`);
  return panel('Webhooks', html`<ul class="rows">${events.map((event) => eventItem(app, event))}</ul>${missing}`);
}

function eventItem(app: App, { id, type, createdAt, deliveries }: NotifiedEvent): Markup {
  return html`<li><div>
<p><a href="${pathOfEvent(app.id, id)}">${type}</a> <span class="hint">${consoleTime(createdAt)}</span></p>
${
  deliveries.length === 0
    ? html`<p class="hint">Sent to no endpoint.</p>`
    : html`<ul class="bare">${deliveries.map((delivery) => html`<li>${deliveryLine(app, delivery)}</li>`)}</ul>`
}
</div></li>`;
}

function deliveryLine(app: App, delivery: SentDelivery): Markup {
  const { url, endpointId, attempts, nextAttemptAt, deliveredAt, lastFailedAt } = delivery;
  const at = deliveredAt ?? lastFailedAt;
  const where =
    url === null ? 'a removed endpoint' : html`<a href="${pathOfEndpoint(app.id, endpointId)}">${shortUrl(url)}</a>`;
  return html`${deliveryBadge(delivery)} ${where} <span class="hint">${answerText(delivery)}${at && html`, ${consoleTime(at)}`}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${nextAttemptAt && html`, next ${consoleTime(nextAttemptAt)}`}</span>`;
}
