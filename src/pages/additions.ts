import type { FastifyInstance } from 'fastify';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';

/** Each opens a scope of its own (`web/page-scope.ts`). */
export const PAGES =
  extensionPoint<Load<(server: FastifyInstance, service: Service) => void | Promise<void>>>('hosted pages');
