import type { FastifyInstance } from 'fastify';
import type { Service } from '../../settlement/service.ts';
import { operatorsRoute } from './operators-page.ts';

/** The operators' console: a file of routes for each section. */
export function operatorRoutes(pages: FastifyInstance, service: Service): void {
  operatorsRoute(pages, service);
}
