import type { PaymentName } from '../../custody/payment-nonces.ts';
import type { Instruction } from '../../service/instruction.ts';
import { refundedBy } from './wanted-rows.ts';

/** What the payer of an instruction pays. */
export function paymentNameOf({ transferId, origin }: Pick<Instruction, 'transferId' | 'origin'>): PaymentName {
  if (origin.kind === 'approval') return { part: 'payment', id: origin.requestId };
  if (origin.kind !== 'payout') return { part: 'transfer', id: transferId };
  return { part: refundedBy(origin) ? 'refund' : 'payment', id: origin.request.id };
}
