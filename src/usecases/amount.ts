import { Problem } from '../base/problems.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Service } from './service.ts';

/** A checked amount of quarters (the edge has seen to 1 … 2^53−1) under the operator's own limit. Throws `amount-too-large`. */
export function allowedAmount({ settings }: Pick<Service, 'settings'>, amount: number): Quarters {
  const quarters = asQuarters(amount);
  if (quarters > settings.maxAmount) {
    throw new Problem('amount-too-large', `At most ${settings.maxAmount} quarters can be moved at once.`);
  }
  return quarters;
}
