import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../../base/problems.ts';
import { appIdOf, developerPaymentPaths } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { inspectPayment } from '../../../../views/payments/inspect-payment.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { refundAsMember } from '../../features/refund-as-member.ts';
import { sendPaymentPage, uncheckedRequestId } from './payment-page.ts';
import { amountFault, leftToRefund, readRefundAmount, refundConfirmPage } from './refund-form.ts';

const PATH = '/developer/apps/:id/payments/:requestId/refund';

/** POST …/payments/{requestId}/refund asks whether to refund. Confirmed, it refunds, and leads to the refund's own page. */
export function refundRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.post(PATH, { fresh: true, action: 'refund a payment', back: paymentOf }, (...of) => refund(service, ...of));
}

const paymentOf = (request: FastifyRequest) =>
  developerPaymentPaths(appIdOf(request)).one(encodeURIComponent(uncheckedRequestId(request)));

async function refund(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
): Promise<FastifyReply> {
  const { body } = request;
  const developer = asDeveloper(visitor.session);
  const app = await appFor(service, developer, appIdOf(request), 'refund');
  const payment = await inspectPayment(service, app.id, uncheckedRequestId(request));
  const [typed, formId] = [parameter(body, 'amount')?.trim() ?? '', parameter(body, 'form') ?? ''];
  const again = (status: number, error: string) =>
    sendPaymentPage(service, reply.code(status), { app, payment, visitor, refused: { typed, error } });
  // A form that is sent twice has its refund by now, so less is left than it asks for.
  if (parameter(body, 'confirmed') !== 'true') {
    const left = leftToRefund(payment.request);
    const amount = readRefundAmount(typed, left);
    if (amount === null) return again(400, amountFault(left));
    return sendConsolePage(reply, refundConfirmPage({ app, request: payment.request, visitor }, amount, formId));
  }
  const amount = readRefundAmount(typed, payment.request.amount);
  if (amount === null) return again(400, amountFault(payment.request.amount));
  try {
    const { requestId } = await refundAsMember(service, developer, app.id, {
      requestId: payment.request.id,
      amount,
      formId,
    });
    return reply.redirect(developerPaymentPaths(app.id).one(requestId), 303);
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500 || leftToRefund(payment.request) === 0n) throw error;
    return again(error.status, error.message);
  }
}
