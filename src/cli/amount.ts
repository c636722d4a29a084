import { InvalidArgumentError } from 'commander';
import { asQuarters, MAX_QUARTERS, type Quarters, withThousands } from '../base/quarters.ts';

/** Parses a typed amount as strictly as the API: `1,000`, `1e3` and ` 5` are refused, never guessed at. */
export function parseAmount(text: string): Quarters {
  const amount = /^[1-9]\d{0,15}$/.test(text) ? asQuarters(BigInt(text)) : null;
  if (amount === null || amount > MAX_QUARTERS) {
    throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_QUARTERS}, digits only, such as 1000.`);
  }
  return amount;
}

/** Converts an amount without loss: none exceeds 2^53−1. */
export const jsonAmount = (amount: Quarters): number => Number(amount);

/** Formats an amount for people: `1,234 quarters`. */
export const readableAmount = (amount: Quarters): string =>
  `${withThousands(amount)} ${amount === 1n ? 'quarter' : 'quarters'}`;
