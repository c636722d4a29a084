import type { FastifyRequest } from 'fastify';
import type { Address } from '../base/address.ts';
import type { Problem } from '../base/problems.ts';
import { tooManyWait } from '../db/group-commit.ts';
import { countCall } from '../http/rate-limits.ts';
import type { RefusesAtOnce } from '../http/refuse-at-once.ts';
import type { Service } from '../service/service.ts';
import { arePaymentsHalted } from '../settlement/may-act.ts';
import { API_HEADERS } from './response-headers.ts';

/** For a route with the address of a payer: under overload a call is refused before anybody is looked up for it, and counted all the same. */
export function refusesWhileBusy(service: Service): RefusesAtOnce {
  const count = countCall(service);
  return {
    refusal(request, reply) {
      const refusal = refusalWhileBusy(service, request);
      if (refusal) count(request, reply);
      return refusal;
    },
    headers: API_HEADERS,
  };
}

/** Null for a call with an Idempotency-Key, because it may have an answer already. */
export function refusalWhileBusy(
  { isLate, admission, readiness }: Pick<Service, 'isLate' | 'admission' | 'readiness'>,
  { params, headers }: Pick<FastifyRequest, 'params' | 'headers'>,
): Problem | null {
  // A suspension says more, and comes after the gate.
  if (headers['idempotency-key'] !== undefined || arePaymentsHalted({ readiness })) return null;
  const payer = (params as { readonly address: string }).address.toLowerCase() as Address;
  return admission.refusal(payer) ?? (isLate(payer) ? tooManyWait() : null);
}
