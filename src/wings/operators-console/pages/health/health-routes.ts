import { readHealth } from '../../../../diagnostics/health/read-health.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import { healthPage } from './health-page.ts';

/** GET /operator/health: the state of every part, and how to fix each fault. */
export function healthRoute(operators: OperatorRoutes, service: Service): void {
  operators.get('/operator/health', async (_request, reply, visitor) =>
    sendConsolePage(reply, healthPage(visitor, await readHealth(service), new Date())),
  );
}
