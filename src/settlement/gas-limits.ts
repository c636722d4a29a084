import type { Address } from '../base/address.ts';
import { atMost, ceilingWithin, type Fees, GWEI, largerFee } from '../chain/fees.ts';
import { MOST_PERCENT, raiseGasPercent } from '../chain/learned-gas.ts';
import type { StoredTransaction } from '../chain/outgoing.ts';
import { estimateGas, type Inclusion } from '../chain/state.ts';
import { gasOfCall } from '../chain/token.ts';
import { readTransaction, type UnsignedTransaction } from '../chain/transaction.ts';
import type { Service, Settlement } from '../service/service.ts';

/*
 * The gas limits of our calls are measured on Ethereum. Rollups count the publishing of a transaction in its gas (Arbitrum), and some chains
 * have other prices for instructions. How much more it is, in percent, is learned from refusals and from executions that ran out of gas, and
 * kept. Gas that is not used costs nothing, so it is never lowered.
 */

type Limits = Pick<Settlement, 'gasPercent' | 'blockGasLimit' | 'mostGas' | 'mostFee'>;

/** The gas limit here of a call that has this one on Ethereum, and the fees that a node lets it have. */
export function limitsOf(
  settlement: Limits & Pick<Settlement, 'fees'>,
  ethereums: bigint,
): { readonly gas: bigint; readonly fees: Fees } {
  const { fees } = settlement;
  const gas = gasHere(settlement, ethereums);
  return { gas, fees: atMost(fees, ceilingWithin(fees.maxFeePerGas, gas, mostFeeNow(settlement))) };
}

function gasHere(settlement: Limits, ethereums: bigint): bigint {
  const { gasPercent } = settlement;
  const wanted = (ethereums * BigInt(gasPercent)) / 100n;
  return gasPercent > 100 ? withinBlock(settlement, wanted) : wanted;
}

function withinBlock({ blockGasLimit, mostGas }: Pick<Limits, 'blockGasLimit' | 'mostGas'>, gas: bigint): bigint {
  const most = mostGas ?? blockGasLimit;
  return most > 0n && gas > most ? most : gas;
}

const mostFeeNow = ({ mostFee }: Pick<Limits, 'mostFee'>): bigint | null =>
  mostFee && performance.now() < mostFee.until ? mostFee.wei : null;

/** Another node may let it cost more. */
const FEE_CAP_HOLDS_MS = 10 * 60_000;

/** A node does not let a transaction with these terms cost so much, but `said` wei, if it says so. It may have rounded that. */
export function learnFeeCap(
  settlement: Pick<Settlement, 'mostFee'>,
  { gas, fees }: Pick<UnsignedTransaction, 'gas' | 'fees'>,
  said: bigint | null,
): void {
  const less = (gas * fees.maxFeePerGas * 3n) / 4n;
  const wei = said !== null && said > 0n && said < less ? said : less;
  settlement.mostFee = { wei, until: performance.now() + FEE_CAP_HOLDS_MS };
}

/** The highest gas price for a transaction with so much gas. */
export function ceilingOf({ settings, settlement }: Ceiling, gas: bigint): bigint {
  return ceilingWithin(BigInt(settings.maxFeePerGasGwei) * GWEI, gas, mostFeeNow(settlement));
}

type Ceiling = Pick<Service, 'settings'> & { readonly settlement: Pick<Settlement, 'mostFee'> };
type Learning = Pick<Service, 'db' | 'rpc' | 'log'> & { readonly settlement: Limits };

const MORE_PERCENT = 150n;
/** Of what a node estimates: what a call needs differs a little with the block that it is in. */
const ESTIMATE_PERCENT = 125n;

/**
 * The gas of another attempt at a call of ours that had too little, or null if no block has room for more. All later ones get as much. `least`:
 * what its bytes alone need, if the node has said so.
 */
export async function raiseGas(
  service: Learning,
  sender: Address,
  { to, data, gas }: UnsignedTransaction,
  least: bigint | null,
): Promise<bigint | null> {
  const { rpc, settlement } = service;
  const ethereums = to ? gasOfCall(data) : gas;
  const known = gasHere(settlement, ethereums);
  let wanted = known;
  if (known <= gas) {
    const estimated = least === null ? await estimateGas(rpc, sender, { to, data }) : null;
    wanted = [
      (gas * MORE_PERCENT) / 100n,
      (least ?? 0n) + ethereums,
      ((estimated ?? 0n) * ESTIMATE_PERCENT) / 100n,
    ].reduce(largerFee);
  }
  // A node may say any number.
  const most = (ethereums * BigInt(MOST_PERCENT)) / 100n;
  const raised = withinBlock(settlement, wanted < most ? wanted : most);
  if (to && raised > known) await learnGas(service, percentOf(raised, ethereums));
  return raised > gas ? raised : null;
}

/** Rounded up. */
const percentOf = (gas: bigint, ethereums: bigint): number => Number((gas * 100n + ethereums - 1n) / ethereums);

/** Learns from mined transactions that ran out of gas: their transfers would run out again. Several in one revert for no other reason. */
export async function learnFromReverted(
  service: Learning & Pick<Service, 'chain'>,
  mined: readonly (readonly [StoredTransaction, Inclusion | null | undefined])[],
): Promise<void> {
  for (const [{ raw }, inclusion] of mined) {
    const used = inclusion?.revertedAt ?? null;
    if (used === null) continue;
    const { to, data, gas } = readTransaction(raw);
    const isPacked = to === service.chain.contracts.settlement;
    if (used * 100n >= gas * (isPacked ? RAN_OUT_PACKED_PERCENT : RAN_OUT_PERCENT))
      await learnGas(service, percentOf((gas * MORE_PERCENT) / 100n, gasOfCall(data)));
  }
}

/**
 * A transaction that ran out of gas has used most of it. One whose payment was made otherwise reverts early. `Settlement.sol` ends before it
 * begins a transfer for which the gas may not last.
 */
const RAN_OUT_PERCENT = 75n;
const RAN_OUT_PACKED_PERCENT = 50n;

/** Calls of this chain need so many percent of their limits on Ethereum, or more. */
async function learnGas({ db, log, settlement }: Learning, percent: number): Promise<void> {
  if (percent <= settlement.gasPercent) return;
  settlement.gasPercent = await raiseGasPercent(db, percent);
  log.warn({ percent: settlement.gasPercent }, 'transactions of this chain need more gas, which they get from now on');
}
