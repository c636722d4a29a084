import type { FastifyRequest } from 'fastify';
import type { Address } from '../base/address.ts';
import { tooManyWait } from '../db/group-commit.ts';
import type { Service } from '../service/service.ts';

/**
 * A step before the gate of a route with the address of a payer. Under overload a refusal has to cost less than a payment: nobody
 * is looked up for it. A call with an Idempotency-Key passes, because it may have an answer already. Throws `overloaded`.
 */
export function refuseWhileLate({ isLate }: Pick<Service, 'isLate'>) {
  return async ({ params, headers }: Pick<FastifyRequest, 'params' | 'headers'>): Promise<void> => {
    const { address } = params as { readonly address: string };
    if (headers['idempotency-key'] === undefined && isLate(address.toLowerCase() as Address)) throw tooManyWait();
  };
}
