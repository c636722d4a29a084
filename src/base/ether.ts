import { withThousands } from './quarters.ts';

const WEI_PER_HUNDREDTH = 10n ** 16n;

/** Formats wei as ether with two fractional digits. It rounds down, so that it never shows more than there is. */
export function formatEthers(wei: bigint): string {
  const hundredths = wei / WEI_PER_HUNDREDTH;
  return `${withThousands(hundredths / 100n)}.${(hundredths % 100n).toString().padStart(2, '0')}`;
}
