import { appIdFrom } from '../../../../base/ids.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { operatorPaymentPaths } from '../../../../pages/consoles/entity-parts.ts';
import { type OperatorRoutes, operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { readPayments } from '../../../../pages/consoles/read-payments.ts';
import { appFor, OPERATOR } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import { inspectApp, listAllApps } from '../../views/inspect-app.ts';
import { appListPage } from './app-list-page.ts';
import { appPage, appPaymentsContent } from './app-page.ts';

const PATH = '/operator/apps';

/** GET /operator/apps lists all apps, …/apps/{id} shows one, and …/apps/{id}/payments searches its payments. */
export function operatorAppRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, async (request, reply, visitor) => {
    const before = parameter(request.query, 'before') ?? '';
    const cursor = appIdFrom(before);
    return sendConsolePage(
      reply,
      appListPage(service.house, visitor, await listAllApps(service, cursor), cursor === null),
    );
  });

  operators.get(`${PATH}/:id`, async (request, reply, visitor) => {
    const { id } = request.params as { id: string };
    const countGuests = parameter(request.query, 'guests') === 'count';
    return sendConsolePage(reply, appPage(service.house, visitor, await inspectApp(service, id, { countGuests })));
  });

  operators.get(`${PATH}/:id/payments`, async (request, reply, visitor) => {
    const { id } = request.params as { id: string };
    const app = await appFor(service, OPERATOR, id, 'read');
    const places = operatorPaymentPaths(app.id);
    const found = await readPayments(service, app.id, request.query);
    if ('only' in found) return reply.redirect(places.one(found.only), 303);
    return sendConsolePage(reply, operatorPage(visitor, 'apps', appPaymentsContent(app, { ...found, places })));
  });
}
