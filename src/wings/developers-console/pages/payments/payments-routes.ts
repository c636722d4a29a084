import type { FastifyInstance } from 'fastify';
import { csvPieces } from '../../../../base/csv.ts';
import { Problem } from '../../../../base/problems.ts';
import { appIdOf, developerPaymentPaths } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { filterOf, paymentsQuery } from '../../../../pages/consoles/payments-filter.ts';
import { MOST_EXPORTED } from '../../../../pages/consoles/payments-list.ts';
import { readPayments } from '../../../../pages/consoles/read-payments.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { findPayment, inspectPayment } from '../../../../views/payments/inspect-payment.ts';
import { PAYMENT_COLUMNS } from '../../../../views/payments/payment-columns.ts';
import { allPayments } from '../../../../views/payments/search-payments.ts';
import { sendCsv } from '../../../../web/csv.ts';
import type { ProgressStreams } from '../../../../web/progress-streams.ts';
import { isStillSignedIn, readVisitor, type SignedInRoutes } from '../../../../web/visitor.ts';
import { sendPaymentPage, uncheckedRequestId } from './payment-page.ts';
import { paymentsPage } from './payments-page.ts';
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
