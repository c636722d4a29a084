import { InvalidArgumentError } from 'commander';
import { asQuarters, MAX_QUARTERS, type Quarters, withThousands } from '../base/quarters.ts';

/** An amount as typed: as strict as the API, so that `1,000`, `1e3` or ` 5` is never guessed at. */
export function parseAmount(text: string): Quarters {
  const amount = /^[1-9]\d{0,15}$/.test(text) ? asQuarters(BigInt(text)) : null;
  if (amount === null || amount > MAX_QUARTERS) {
    throw new InvalidArgumentError(
      `Write the quarters as a whole number from 1 to ${MAX_QUARTERS}, digits only, such as 1000.`,
    );
  }
  return amount;
}

/** Any amount of ours fits a JSON number. */
export const jsonAmount = (amount: Quarters): number => Number(amount);

/** For people: `1,234 quarters`. */
export const readableAmount = (amount: Quarters): string =>
  `${withThousands(amount)} ${amount === 1n ? 'quarter' : 'quarters'}`;
