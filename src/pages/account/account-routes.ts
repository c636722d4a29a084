import type { FastifyInstance } from 'fastify';
import type { Service } from '../../usecases/service.ts';
import { activityRoute } from './activity.ts';
import { appsRoutes } from './apps.ts';
import { closeRoutes } from './close.ts';
import { emailRoutes } from './email.ts';
import { exportRoutes } from './exports.ts';
import { nameRoutes } from './name.ts';
import { overviewRoute } from './overview.ts';
import { passwordRoutes } from './password.ts';
import { sessionsRoutes } from './sessions.ts';

/** "Your account": everything under /account. */
export function accountRoutes(pages: FastifyInstance, service: Service): void {
  overviewRoute(pages, service);
  activityRoute(pages, service);
  exportRoutes(pages, service);
  appsRoutes(pages, service);
  nameRoutes(pages, service);
  emailRoutes(pages, service);
  passwordRoutes(pages, service);
  sessionsRoutes(pages, service);
  closeRoutes(pages, service);
}
