import { requestIdFrom } from '../../../../base/ids.ts';
import { Problem } from '../../../../base/problems.ts';
import { lookUpApp } from '../../../../identity/apps.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import { lookUpRequest } from '../../../../requests/requests.ts';
import type { Service } from '../../../../service/service.ts';
import { ownersOf } from '../../../../views/inspection/address-owners.ts';
import { inspectPayment } from '../../../../views/payments/inspect-payment.ts';
import { operatorPaymentPage } from './payment-page.ts';

/** GET /operator/payments/{requestId}: any app's payment with everything that happened to it. */
export function operatorPaymentRoute(operators: OperatorRoutes, service: Service): void {
  operators.get('/operator/payments/:id', async (request, reply, visitor) => {
    const { id } = request.params as { id: string };
    const requestId = requestIdFrom(id);
    const found = requestId && (await lookUpRequest(service.db, requestId));
    const app = found && (await lookUpApp(service.db, found.appId));
    if (!found || !app) throw new Problem('not-found', `There is no payment "${id}".`);
    const [payment, owners] = await Promise.all([
      inspectPayment(service, found.appId, found.id),
      ownersOf(service, [found.from, found.to]),
    ]);
    const view = { ...payment, app, owners, explorerUrl: service.settings.explorerUrl };
    return sendConsolePage(reply, operatorPaymentPage(visitor, view));
  });
}
