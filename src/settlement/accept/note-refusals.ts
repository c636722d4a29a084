import type { RefusalBuffer, WantedPayment } from '../../requests/refusal-buffer.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import { refundedBy } from './wanted-rows.ts';

type Accept = (instruction: Instruction) => Promise<Accepted>;

/** Accepts as `accept` does, and notes what is refused to apps and players. */
export function noteRefusals(refusals: RefusalBuffer, accept: Accept): Accept {
  return (instruction) => {
    const payment = wantedPayment(instruction);
    return payment ? refusals.noting(payment, accept(instruction)) : accept(instruction);
  };
}

/** What an app or a player wants paid; null if it is the operator's. */
function wantedPayment({ origin }: Instruction): WantedPayment | null {
  if (origin.kind === 'approval') {
    const { appId, userId, by } = origin;
    return { kind: by === 'mandate' ? 'auto-approval' : 'approval', appId, userId };
  }
  if (origin.kind !== 'payout') return null;
  const { appId, userId } = origin.request;
  return { kind: refundedBy(origin) ? 'refund' : 'payout', appId, userId };
}
