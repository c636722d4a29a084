import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { csvPieces } from '../../../../base/csv.ts';
import { Problem } from '../../../../base/problems.ts';
import type { App } from '../../../../identity/apps.ts';
import { appConsolePage, appIdOf, developerPaymentPaths, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { filterOf, paymentsAddress, paymentsQuery } from '../../../../pages/consoles/payments-filter.ts';
import { type ListedPayments, MOST_EXPORTED, paymentsCard } from '../../../../pages/consoles/payments-list.ts';
import { readPayments } from '../../../../pages/consoles/read-payments.ts';
import { PAYMENT_FILES } from '../../../../pages/consoles/sections.ts';
import type { House } from '../../../../service/house.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { findPayment, inspectPayment } from '../../../../views/payments/inspect-payment.ts';
import { PAYMENT_COLUMNS } from '../../../../views/payments/payment-columns.ts';
import { allPayments } from '../../../../views/payments/search-payments.ts';
import { sendCsv } from '../../../../web/csv.ts';
import { icon } from '../../../../web/icons.ts';
import type { Page } from '../../../../web/layout.ts';
import type { ProgressStreams } from '../../../../web/progress-streams.ts';
import { isStillSignedIn, readVisitor, type SignedInRoutes } from '../../../../web/visitor.ts';
import { sendPaymentPage, uncheckedRequestId } from './payment-page.ts';
import { refundRoutes } from './refund-routes.ts';

const PATH = '/developer/apps/:id/payments';

/** GET …/payments lists an app's requests, …/payments.csv exports them, and …/payments/{requestId} shows one. */
export function paymentsRoutes(
  pages: FastifyInstance,
  visitors: SignedInRoutes,
  service: Service,
  streams: ProgressStreams,
): void {
  refundRoutes(visitors, service);
  visitors.get(PATH, async (request, reply, { session }) => {
    const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
    const places = developerPaymentPaths(app.id);
    const found = await readPayments(service, app.id, request.query);
    if ('only' in found) return reply.redirect(places.one(found.only), 303);
    return sendConsolePage(reply, paymentsPage({ ...found, app, house: service.house, places }));
  });

  visitors.get(`${PATH}.csv`, async (request, reply, visitor) => {
    const app = await appFor(service, asDeveloper(visitor.session), appIdOf(request), 'read');
    const filter = filterOf(paymentsQuery(request.query));
    return sendCsv(reply, visitor, 'payments', () =>
      csvPieces(Object.values(PAYMENT_COLUMNS), allPayments(service, app.id, filter, MOST_EXPORTED)),
    );
  });

  visitors.get(`${PATH}/:requestId`, async (request, reply, visitor) => {
    const app = await appFor(service, asDeveloper(visitor.session), appIdOf(request), 'read');
    const payment = await inspectPayment(service, app.id, uncheckedRequestId(request));
    return sendPaymentPage(service, reply, { app, payment, visitor });
  });

  // The script expects 404 when the session has ended, not the sign-in page.
  pages.get(`${PATH}/:requestId/progress`, async (request, reply) => {
    const visitor = await readVisitor(service, request);
    if (!visitor) throw new Problem('not-found', 'There is no such payment.');
    const developer = asDeveloper(visitor.session);
    const app = await appFor(service, developer, appIdOf(request), 'read');
    const payment = await findPayment(service, app.id, uncheckedRequestId(request));
    return streams.answer(request, reply, [payment.id], {
      caller: visitor.user.id,
      maySee: async () => {
        await appFor(service, developer, app.id, 'read');
        return isStillSignedIn(service, visitor.session);
      },
    });
  });
}

/** An app's requests, newest first, with what narrows them. */
function paymentsPage(view: ListedPayments & { readonly app: App; readonly house: House }): Page {
  const { app, house, query, page, places } = view;
  const files = house.of(PAYMENT_FILES);
  const none = html`<p>No payments yet. <a href="${pathOfApp(app.id)}">See how to ask for the first one.</a></p>`;
  const action =
    page.requests.length > 0 &&
    html`<div class="files">${files.map(({ path, label }) => html`<a href="${pathOfApp(app.id)}${path}">${label}</a>`)}<a class="secondary" href="${paymentsAddress(`${places.list}.csv`, query)}" title="The newest 10,000 of these">${icon('download')}Download CSV</a></div>`;
  return appConsolePage(app, 'payments', { title: 'Payments', content: paymentsCard(view, none), action });
}
