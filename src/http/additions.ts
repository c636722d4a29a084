import type { FastifyInstance } from 'fastify';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';

export const PROBES =
  extensionPoint<Load<(service: Service) => (server: FastifyInstance) => Promise<void>>>('addresses beside /healthz');
