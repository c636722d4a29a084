import { withThousands } from './quarters.ts';

const WEI_PER_HUNDREDTH = 10n ** 16n;

/** Wei as ether with two fractional digits, rounded down: what is shown is never more than what is there. */
export function formatEthers(wei: bigint): string {
  const hundredths = wei / WEI_PER_HUNDREDTH;
  return `${withThousands(hundredths / 100n)}.${(hundredths % 100n).toString().padStart(2, '0')}`;
}
