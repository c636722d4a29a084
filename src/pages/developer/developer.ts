import type { FastifyInstance } from 'fastify';
import type { Service } from '../../settlement/service.ts';
import { pageScope } from '../../web/page-scope.ts';
import { appRoutes } from './app-routes.ts';
import { newAppRoutes } from './apps.ts';
import { keyRoutes } from './key-routes.ts';
import { pictureRoutes } from './picture.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** The pages for developers. */
export async function registerDeveloperPages(server: FastifyInstance, service: Service): Promise<void> {
  await pageScope(server, service, async (pages) => {
    newAppRoutes(pages, service);
    appRoutes(pages, service);
    keyRoutes(pages, service);
    webhookRoutes(pages, service);
    await pictureRoutes(pages, service);
  });
}
