import type { Accepted, Instruction } from '../../../service/instruction.ts';
import { kindOfPayment } from '../../../settlement/accept/kinds.ts';
import type { RefusalBuffer } from '../store/refusal-buffer.ts';

type Accept = (instruction: Instruction) => Promise<Accepted>;

/** Accepts as `accept` does, and notes what is refused to apps and players. */
export function noteRefusals(refusals: RefusalBuffer, accept: Accept): Accept {
  return (instruction) => {
    const payment = kindOfPayment(instruction.origin).tells(instruction.origin);
    return payment ? refusals.noting(payment, accept(instruction)) : accept(instruction);
  };
}
