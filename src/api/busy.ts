import type { FastifyRequest } from 'fastify';
import type { Address } from '../base/address.ts';
import { tooManyWait } from '../db/group-commit.ts';
import type { Service } from '../service/service.ts';
import { arePaymentsHalted } from '../settlement/may-act.ts';

/**
 * A step before the gate of a route with the address of a payer. Under overload a refusal has to cost less than a payment: nobody
 * is looked up for it. A call with an Idempotency-Key passes, because it may have an answer already.
 */
export function refuseWhileBusy({ isLate, admission, readiness }: Pick<Service, 'isLate' | 'admission' | 'readiness'>) {
  return async ({ params, headers }: Pick<FastifyRequest, 'params' | 'headers'>): Promise<void> => {
    // A suspension says more, and comes after the gate.
    if (headers['idempotency-key'] !== undefined || arePaymentsHalted({ readiness })) return;
    const payer = (params as { readonly address: string }).address.toLowerCase() as Address;
    admission.check(payer);
    if (isLate(payer)) throw tooManyWait();
  };
}
