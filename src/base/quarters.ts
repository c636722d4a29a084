/** An amount of quarters: a whole number from 0 to 2^53−1 (differences inside the ledger may be negative). */
export type Quarters = bigint & { readonly __unit: 'quarters' };

/** The token's supply never exceeds this, so every amount fits a JSON number without loss. */
export const MAX_QUARTERS = (2n ** 53n - 1n) as Quarters;

/** Brands a whole number that is known to be an amount of quarters, such as a database column or a log of the token. */
export function asQuarters(amount: bigint | number): Quarters {
  return BigInt(amount) as Quarters;
}

/** The smaller of two amounts. */
export function lesser(a: bigint, b: bigint): Quarters {
  if (a < b) return asQuarters(a);
  return asQuarters(b);
}

/** `1234567n` → `1,234,567`. */
export function withThousands(amount: bigint): string {
  return amount.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

const WEI_PER_HUNDREDTH = 10n ** 16n;

/** Formats wei as ether with two fractional digits. It rounds down, so that it never shows more than there is. */
export function formatEthers(wei: bigint): string {
  const hundredths = wei / WEI_PER_HUNDREDTH;
  return `${withThousands(hundredths / 100n)}.${(hundredths % 100n).toString().padStart(2, '0')}`;
}
