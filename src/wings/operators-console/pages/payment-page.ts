import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { requestIdFrom } from '../../../base/ids.ts';
import { type App, lookUpApp } from '../../../identity/apps.ts';
import { consoleTime, panel, sendConsolePage } from '../../../pages/consoles/console.ts';
import { answerText, deliveryBadge, shortUrl } from '../../../pages/consoles/deliveries.ts';
import { addressFact, operatorChainLinks, operatorPaymentPaths, pathTo } from '../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../pages/consoles/figures.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import { explanationOf, paymentDetails } from '../../../pages/consoles/payment-details.ts';
import { chainPanel, refundsPanel, timelinePanel } from '../../../pages/consoles/payment-panels.ts';
import { paymentBadge } from '../../../pages/consoles/payment-words.ts';
import { lookUpRequest } from '../../../requests/requests.ts';
import type { Service } from '../../../service/service.ts';
import { type Owners, ownersOf } from '../../../views/inspection/address-owners.ts';
import { type InspectedPayment, inspectPayment, type NotifiedEvent } from '../../../views/payments/inspect-payment.ts';
import { KINDS } from '../../../views/payments/payment-columns.ts';
import { notHere } from '../../../views/requests/not-here.ts';
import { copyable } from '../../../web/copyable.ts';
import { gameName } from '../../../web/game-text.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import type { Visitor } from '../../../web/visitor.ts';

/** GET /operator/payments/{requestId}: any app's payment with everything that happened to it. */
export function operatorPaymentRoute(operators: OperatorRoutes, service: Service): void {
  operators.get('/operator/payments/:id', async (request, reply, visitor) => {
    const { id } = request.params as { id: string };
    const requestId = requestIdFrom(id);
    const found = requestId && (await lookUpRequest(service.db, requestId));
    const app = found && (await lookUpApp(service.db, found.appId));
    if (!found || !app) throw await notHere(service.db, requestId ?? '', `There is no payment "${id}".`);
    const [payment, owners] = await Promise.all([
      inspectPayment(service, found.appId, found.id),
      ownersOf(service, [found.from, found.to]),
    ]);
    const view = { ...payment, app, owners, explorerUrl: service.settings.explorerUrl };
    return sendConsolePage(reply, operatorPaymentPage(visitor, view));
  });
}

type View = InspectedPayment & {
  readonly app: App;
  readonly owners: Owners;
  /** The block explorer's address of a transaction, with `{tx}` for its hash. */
  readonly explorerUrl: string | undefined;
};

/** A payment with everything that happened to it. */
function operatorPaymentPage(visitor: Visitor, view: View): Page {
  const { app, request, owners } = view;
  const { source, status, amount, userId } = request;
  const places = operatorPaymentPaths(app.id);
  const about = explanationOf(view);
  const user = html`${copyable(en, userId, 'user id')}<a href="${pathTo('user', userId)}">Player’s page</a>`;
  const content = html`${figureRow([
    ['Amount', en.quarters(amount)],
    ['Status', paymentBadge(status)],
    ['App', html`<a href="${pathTo('app', app.id)}"><bdi>${gameName(en, app.name)}</bdi></a>`],
    ['Created', consoleTime(request.createdAt)],
  ])}
${about && html`<p class="notice">${about}</p>`}
${paymentDetails(view, { places, user, address: (address) => addressFact(address, owners) })}
${timelinePanel(view, 'the app')}
${chainPanel(view, operatorChainLinks(view.explorerUrl))}
${refundsPanel(view, places)}
${panel('Webhooks', events(view))}`;
  return operatorPage(visitor, null, { title: KINDS[source], content });
}

function events({ events: all, hasAllEvents }: View): Markup {
  const missing = !hasAllEvents && html`<p class="hint">Events are kept for 30 days. Older ones are not shown.</p>`;
  if (all.length === 0) return html`${missing || html`<p class="hint">No events yet.</p>`}`;
  return html`<ul class="rows">${all.map(eventItem)}</ul>${missing}`;
}

function eventItem({ id, type, createdAt, deliveries }: NotifiedEvent): Markup {
  const line = (delivery: NotifiedEvent['deliveries'][number]) =>
    html`<li>${deliveryBadge(delivery)} ${delivery.url === null ? 'a removed endpoint' : shortUrl(delivery.url)} <span class="hint">${answerText(delivery)}, ${delivery.attempts} ${delivery.attempts === 1 ? 'attempt' : 'attempts'}</span></li>`;
  return html`<li><div>
<p>${type} <span class="hint">${consoleTime(createdAt)}</span> <code class="hint">${id}</code></p>
${deliveries.length === 0 ? html`<p class="hint">Sent to no endpoint.</p>` : html`<ul class="bare">${deliveries.map(line)}</ul>`}
</div></li>`;
}
