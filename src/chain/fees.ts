/**
 * Wei per gas, EIP-1559. `isLegacy`: of a transaction without these two, as chains without a base fee have them. Then both are its gas price,
 * which is paid in whole.
 */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint; readonly isLegacy: boolean };

export const GWEI = 10n ** 9n;

/** The base fee can double six times (about 36 full blocks) before a transaction signed now is too cheap. */
const BASE_FEE_HEADROOM = 64n;
/** The part of the ceiling that a first signing leaves, so that a transaction can be replaced about ten times. */
const ROOM = 4n;

export const largerFee = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Fees of a first signing. `maxFeePerGas` is a limit, not a price: a high limit costs nothing when the chain is calm,
 * and saves a replacement when it is not. It is at most a quarter of `ceiling`, unless twice the base fee is more.
 *
 * `baseFeePerGas`: null if the chain has none. The tip is the gas price there.
 */
export function firstFees(baseFeePerGas: bigint | null, tip: bigint, ceiling: bigint): Fees {
  if (baseFeePerGas === null) return legacyFees(tip, ceiling);
  const wanted = baseFeePerGas * BASE_FEE_HEADROOM + tip;
  const most = largerFee(ceiling / ROOM, baseFeePerGas * 2n + tip);
  const maxFeePerGas = smaller(wanted, smaller(most, ceiling));
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas), isLegacy: false };
}

/** Fees of a transaction that has a gas price alone. */
export function legacyFees(wanted: bigint, ceiling: bigint): Fees {
  const price = smaller(wanted, ceiling);
  return { maxFeePerGas: price, maxPriorityFeePerGas: price, isLegacy: true };
}

/**
 * The tip of a first signing. `own`: what the operator has set. `learned`: what the chain asks for. It counts up to the part of `ceiling`
 * that a first signing uses, so a node that makes up a number costs no more than that.
 */
export function tipToOffer(own: bigint, learned: bigint, ceiling: bigint): bigint {
  return largerFee(own, smaller(learned, ceiling / ROOM));
}

/** The price below which a transaction with so much gas costs no more than `mostFee` in wei, with a little room; null: it may cost anything. */
export function ceilingWithin(ceiling: bigint, gas: bigint, mostFee: bigint | null): bigint {
  return mostFee === null ? ceiling : smaller(ceiling, (mostFee * 95n) / 100n / gas);
}

/** The same fees, at most `ceiling`. */
export function atMost({ maxFeePerGas, maxPriorityFeePerGas, isLegacy }: Fees, ceiling: bigint): Fees {
  const [most, tip] = [smaller(maxFeePerGas, ceiling), smaller(maxPriorityFeePerGas, ceiling)];
  return { maxFeePerGas: most, maxPriorityFeePerGas: tip, isLegacy };
}

/**
 * Fees of a first signing while no block is known: the most that one usually uses, which leaves room for another
 * attempt.
 */
export function feesUnseen(tip: bigint, ceiling: bigint): Fees {
  const maxFeePerGas = ceiling / ROOM;
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas), isLegacy: false };
}

/** Nodes replace a pending transaction only if both fees rise by at least a tenth (geth's price bump), whatever the types of the two. */
const bumped = (fee: bigint) => (fee * 11n) / 10n + 1n;

/**
 * Fees of another attempt: both a tenth higher than before, or those of a first signing now if they are higher; never
 * above `ceiling`. Its type is that of `now`, as the chain may have been upgraded. Null if the ceiling leaves no room for a replacement that
 * nodes would accept.
 */
export function replacementFees(before: Fees, now: Fees, ceiling: bigint): Fees | null {
  const wanted = largerFee(bumped(before.maxFeePerGas), now.maxFeePerGas);
  const maxFeePerGas = smaller(wanted, ceiling);
  const tip = largerFee(bumped(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  const leastBump = (before.maxFeePerGas * 11n) / 10n;
  if (maxFeePerGas < leastBump || tip > maxFeePerGas) return null;
  return now.isLegacy
    ? legacyFees(maxFeePerGas, ceiling)
    : { maxFeePerGas, maxPriorityFeePerGas: tip, isLegacy: false };
}
