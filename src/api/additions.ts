import type { FastifyInstance } from 'fastify';
import { extensionPoint } from '../service/house.ts';
import type { Service } from '../service/service.ts';

export type AddOperationHooks = (operations: FastifyInstance, service: Service) => void;

/** Only the emulator has any: no wing stands between a payment and its answer. */
export const OPERATION_HOOKS = extensionPoint<AddOperationHooks>('hooks that every operation of the API has');
