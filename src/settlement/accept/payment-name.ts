import type { PaymentName } from '../../custody/payment-nonces.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { Instruction } from '../../service/instruction.ts';
import { refundedBy } from './wanted-rows.ts';

/** Whether it is known without a lock what an instruction pays. How many refunds came before is not. */
export function isNamedOnArrival({ origin }: Instruction): boolean {
  return refundedBy(origin) === null;
}

/** What the payer of an instruction pays. `refundsBefore`: the refunds that its payment has had, failed ones too. */
export function paymentNameOf({ transferId, origin, idempotency }: Instruction, refundsBefore: number): PaymentName {
  if (origin.kind === 'approval') return { kind: 'request', request: origin.requestId };
  const request = refundedBy(origin);
  if (request) return { kind: 'refund', request, number: refundsBefore, key: idempotency?.hash ?? null };
  if (!idempotency) return { kind: 'transfer', id: transferId };
  return nameUnderKey(origin, idempotency, new Date());
}

/** What is named by an Idempotency-Key that was used at a moment. */
export function nameUnderKey(
  { kind }: Instruction['origin'],
  { hash: key, neverEnds }: IdempotencyKey,
  used: Date,
): PaymentName {
  if (kind === 'withdrawal') return { kind, key };
  return { kind: 'key', key, day: neverEnds ? null : dayOf(used) };
}

/** A day (UTC) as `2026-11-27`. */
const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
