/** Wei per gas, EIP-1559. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

export const GWEI = 10n ** 9n;

/** The base fee can double six times (about 36 full blocks) before a transaction signed now is too cheap. */
const BASE_FEE_HEADROOM = 64n;
/** What a first signing leaves of the ceiling, so that a transaction can be replaced about ten times. */
const ROOM = 4n;

const larger = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Fees of a first signing. `maxFeePerGas` is a limit, not a price: setting it high costs nothing when the chain is calm and
 * spares a replacement when it is not. At the most a quarter of `ceiling`, except where twice the base fee is more.
 */
export function firstFees(baseFeePerGas: bigint, tip: bigint, ceiling: bigint): Fees {
  const wanted = baseFeePerGas * BASE_FEE_HEADROOM + tip;
  const most = larger(ceiling / ROOM, baseFeePerGas * 2n + tip);
  const maxFeePerGas = smaller(wanted, smaller(most, ceiling));
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) };
}

/** Fees of a first signing while no block is known: the most that one usually takes, which leaves room for a further attempt. */
export function feesUnseen(tip: bigint, ceiling: bigint): Fees {
  const maxFeePerGas = ceiling / ROOM;
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) };
}

/** Nodes replace a pending transaction only for at least a tenth more, on both fees (geth's price bump). */
const bumped = (fee: bigint) => (fee * 9n) / 8n + 1n;

/**
 * Fees of a further attempt: an eighth more than before on both, or what a first signing now would take if that is more; never
 * above `ceiling`. Null where the ceiling leaves no room for a replacement that nodes would accept.
 */
export function replacementFees(before: Fees, now: Fees, ceiling: bigint): Fees | null {
  const wanted = larger(bumped(before.maxFeePerGas), now.maxFeePerGas);
  const maxFeePerGas = smaller(wanted, ceiling);
  const tip = larger(bumped(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  const leastBump = (before.maxFeePerGas * 11n) / 10n;
  if (maxFeePerGas < leastBump || tip > maxFeePerGas) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: tip };
}
