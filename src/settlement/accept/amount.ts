import { Problem } from '../../base/problems.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { Settings } from '../../config/settings.ts';

/**
 * A checked amount of quarters (the API's schema ensures 1 … 2^53−1) within the operator's own limit. Throws
 * `amount-too-large`.
 */
export function allowedAmount(
  { settings }: { readonly settings: Pick<Settings, 'maxAmount'> },
  amount: number,
): Quarters {
  const quarters = asQuarters(amount);
  if (quarters > settings.maxAmount) throw amountTooLarge(settings.maxAmount);
  return quarters;
}

export function amountTooLarge(most: Quarters): Problem {
  return new Problem('amount-too-large', `At most ${most} quarters can be moved at once.`);
}
