import type { FastifyInstance } from 'fastify';
import { readHealth } from '../../../diagnostics/health/read-health.ts';
import type { Service } from '../../../service/service.ts';
import { sendConsolePage } from '../../consoles/console.ts';
import { forOperators } from '../operator-frame.ts';
import { healthPage } from './health-page.ts';

/** GET /operator/health: the state of every part, and how to fix each fault. */
export function healthRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/operator/health',
    forOperators(service, async (_request, reply, visitor) =>
      sendConsolePage(reply, healthPage(visitor, await readHealth(service), new Date())),
    ),
  );
}
