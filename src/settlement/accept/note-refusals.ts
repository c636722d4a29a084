import type { Accepted, Instruction } from '../../service/instruction.ts';
import { tellingRefusals } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { kindOfPayment } from './kinds.ts';

type Accept = (instruction: Instruction) => Promise<Accepted>;

/** Accepts as `accept` does, and tells what is refused to apps and players. */
export function noteRefusals(service: Pick<Service, 'db' | 'house'>, accept: Accept): Accept {
  return (instruction) => {
    const payment = kindOfPayment(instruction.origin).tells(instruction.origin);
    return payment ? tellingRefusals(service, payment, accept(instruction)) : accept(instruction);
  };
}
