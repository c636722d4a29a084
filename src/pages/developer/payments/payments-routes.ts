import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../../base/problems.ts';
import { basesOf } from '../../../config/bases.ts';
import { appFor, asDeveloper } from '../../../features/apps/managers.ts';
import { findPayment, inspectPayment } from '../../../features/requests/inspect-payment.ts';
import { findPayments, type PaymentPage, searchPayments } from '../../../features/requests/search-payments.ts';
import type { Service } from '../../../settlement/service.ts';
import { sendConsolePage } from '../../../web/console.ts';
import { sendCsv } from '../../../web/csv.ts';
import type { ProgressStreams } from '../../../web/progress-streams.ts';
import { readVisitor, signedIn } from '../../../web/visitor.ts';
import { appIdOf } from '../console.ts';
import { paymentPage } from './payment-page.ts';
import { paymentLines } from './payments-export.ts';
import { cursorIn, filterOf, paymentAddress, paymentsQuery, termIn } from './payments-filter.ts';
import { paymentsPage } from './payments-page.ts';

const PATH = '/developer/apps/:id/payments';
const PER_PAGE = 25;
const NONE: PaymentPage = { requests: [], next: null, isFull: false };

/** GET …/payments lists an app's requests, …/payments.csv exports them, and …/payments/{requestId} shows one. */
export function paymentsRoutes(pages: FastifyInstance, service: Service, streams: ProgressStreams): void {
  pages.get(
    PATH,
    signedIn(service, async (request, reply, { session }) => {
      const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
      const query = paymentsQuery(request.query);
      const before = cursorIn(request.query);
      const term = termIn(query);
      const view = { app, query, isFirst: before === null };
      if (term?.kind !== 'id' && term?.kind !== 'hash') {
        const page = await searchPayments(service, app.id, filterOf(query), before, PER_PAGE);
        return sendConsolePage(reply, paymentsPage({ ...view, page }));
      }
      // A name of one payment finds it, whatever else is asked for.
      const found = await findPayments(service, app.id, term).catch(asNotice);
      if ('notice' in found) return sendConsolePage(reply, paymentsPage({ ...view, page: NONE, ...found }));
      const [only] = found;
      if (only && found.length === 1) return reply.redirect(paymentAddress(app.id, only.id), 303);
      return sendConsolePage(reply, paymentsPage({ ...view, page: { ...NONE, requests: found } }));
    }),
  );

  pages.get(
    `${PATH}.csv`,
    signedIn(service, async (request, reply, { session }) => {
      const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
      return sendCsv(reply, 'payments', paymentLines(service, app.id, filterOf(paymentsQuery(request.query))));
    }),
  );

  pages.get(
    `${PATH}/:requestId`,
    signedIn(service, async (request, reply, { session }) => {
      const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
      const payment = await inspectPayment(service, app.id, requestIdOf(request));
      const { explorerUrl } = service.settings;
      const bases = basesOf(service.settings, service.publicUrl);
      return sendConsolePage(reply, paymentPage({ ...payment, app, bases, explorerUrl }), { live: true });
    }),
  );

  // The script expects 404 when the session has ended, not the sign-in page.
  pages.get(`${PATH}/:requestId/progress`, async (request, reply) => {
    const visitor = await readVisitor(service, request);
    if (!visitor) throw new Problem('not-found', 'There is no such payment.');
    const app = await appFor(service, asDeveloper(visitor.session), appIdOf(request), 'read');
    const payment = await findPayment(service, app.id, requestIdOf(request));
    return streams.answer(request, reply, [payment.id], visitor.user.id);
  });
}

function requestIdOf({ params }: FastifyRequest): string {
  return (params as { requestId: string }).requestId;
}

/** Says on the page that the chain's node does not answer. */
function asNotice(error: unknown): { notice: string } {
  if (error instanceof Problem && error.code === 'chain-unavailable') return { notice: error.message };
  throw error;
}
