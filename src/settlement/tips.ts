import { type Fees, feesUnseen, firstFees, GWEI, largerFee, tipToOffer } from '../chain/fees.ts';
import {
  lowerLearnedTip,
  raiseLearnedTip,
  readLearnedTip,
  readNodesTip,
  readSuggestedTip,
} from '../chain/learned-tip.ts';
import type { StoredTransaction } from '../chain/outgoing.ts';
import type { Relayer } from '../chain/relayers.ts';
import { readCosts } from '../chain/state.ts';
import { readTransaction } from '../chain/transaction.ts';
import type { Service, Settlement } from '../service/service.ts';
import type { Engine } from './engine.ts';
import { readMarks } from './tables/nonces.ts';

/*
 * Some chains refuse transactions below a tip of their own, or keep them and never mine them. What they ask for is learned in two ways: a
 * refusal names it, or a transaction with a higher tip was mined after one that was not. Both are stored, and offered at once from then on.
 * What the node suggests is offered if the operator has set no tip, and else believed for another attempt only. Nothing of this exceeds
 * `tipToOffer`.
 */

/** What is known of prices in this process. */
export type Prices = Pick<Settlement, 'fees' | 'baseFeePerGas' | 'learnedTip' | 'suggestedTip' | 'raised'>;

type Pricing = Pick<Service, 'settings'> & {
  readonly settlement: Pick<Prices, 'baseFeePerGas' | 'learnedTip' | 'suggestedTip'>;
};
type Learning = Pick<Service, 'settings' | 'db' | 'log'> & { readonly settlement: Prices };
type Asking = Pick<Service, 'settings' | 'rpc'> & { readonly settlement: Omit<Prices, 'raised'> };

/** Offered as long as the operator has set no tip, and the node suggests none. */
const USUAL_TIP = GWEI;

type TipSettings = Pick<Service['settings'], 'priorityFee' | 'maxFeePerGasGwei'>;

/**
 * The tip of a transaction for which the chain has asked for no more, in wei per gas. A node may suggest any number, so that is bounded as what
 * was learned is.
 */
export function ownTip({ priorityFee, maxFeePerGasGwei }: TipSettings, suggested: bigint | null): bigint {
  return priorityFee ?? tipToOffer(0n, suggested ?? USUAL_TIP, BigInt(maxFeePerGasGwei) * GWEI);
}

/** The fees for a transaction signed now. `tip`: what the node suggests, if it was asked. */
export function feesNow({ settings, settlement }: Pricing, tip = 0n): Fees {
  const ceiling = BigInt(settings.maxFeePerGasGwei) * GWEI;
  const { baseFeePerGas, learnedTip, suggestedTip } = settlement;
  const offered = tipToOffer(ownTip(settings, suggestedTip), largerFee(learnedTip, tip), ceiling);
  return baseFeePerGas === undefined ? feesUnseen(offered, ceiling) : firstFees(baseFeePerGas, offered, ceiling);
}

/** Asks the node for its tip, which is offered from then on, unless the operator has set one. */
export async function askForTip({ rpc, settings, settlement }: Asking): Promise<void> {
  if (settings.priorityFee === undefined)
    settlement.suggestedTip = (await readNodesTip(rpc, settlement)) ?? settlement.suggestedTip;
  settlement.fees = feesNow({ settings, settlement });
}

/** Whether a transaction with these fees pays its whole tip in the newest block. If not, its fee was too low, and not its tip. */
export function paysWholeTip({ settlement }: Pricing, { maxFeePerGas, maxPriorityFeePerGas }: Fees): boolean {
  return maxFeePerGas >= (settlement.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
}

/** The chain takes no less than this tip. */
export async function learnTip(service: Learning, wei: bigint): Promise<void> {
  const { db, settings, settlement, log } = service;
  const before = settlement.fees.maxPriorityFeePerGas;
  settlement.learnedTip = await raiseLearnedTip(db, wei);
  settlement.fees = feesNow(service);
  if (settlement.fees.maxPriorityFeePerGas === before) return;
  const entry = { gwei: Number(wei) / 1e9, offeredBefore: Number(ownTip(settings, settlement.suggestedTip)) / 1e9 };
  log.warn(entry, 'the chain asks for a higher tip, which is offered from now on: see PRIORITY_FEE_GWEI');
}

/** So many attempts are remembered until one at their nonce is mined. */
const MOST_RAISED = 100;

/** Transactions that were refused or waited were given a higher tip. If one is mined, the chain asks for that. */
export function noteRaised({ settlement }: Pick<Learning, 'settlement'>, made: readonly StoredTransaction[]): void {
  settlement.raised = [...settlement.raised, ...made].slice(-MOST_RAISED);
}

/** Learns from the attempts of {@link noteRaised} whose nonces the chain has used. Asks nobody while there are none. */
export async function learnFromMined(service: Engine, { address }: Pick<Relayer, 'address'>): Promise<void> {
  const { db, rpc, settlement } = service;
  if (!settlement.raised.some(({ relayer }) => relayer === address)) return;
  const { consumed } = (await readMarks(db, [address])).get(address)!;
  const isOver = ({ relayer, nonce }: StoredTransaction) => relayer === address && nonce < consumed;
  const over = settlement.raised.filter(isOver);
  if (over.length === 0) return;
  const costs = await readCosts(
    rpc,
    over.map(({ hash }) => hash),
  );
  settlement.raised = settlement.raised.filter((attempt) => !isOver(attempt));
  // Nonces are mined in their order, so the last is the newest.
  const mined = over.filter((_, i) => costs[i]).at(-1);
  if (!mined) return;
  const { fees } = readTransaction(mined.raw);
  if (fees.maxPriorityFeePerGas > settlement.fees.maxPriorityFeePerGas) {
    await learnTip(service, fees.maxPriorityFeePerGas);
  }
}

/**
 * Reads what the node suggests and what other processes have learned, and lowers what was learned long ago to what the node suggests now, or
 * by an eighth if it suggests nothing. If that is too low, the next transaction is refused or waits, and teaches it again.
 */
export async function reviewTip(service: Engine): Promise<void> {
  const { db, rpc, settlement } = service;
  const before = settlement.learnedTip;
  await askForTip(service);
  let learned = await readLearnedTip(db);
  if (learned.isOld) {
    await lowerLearnedTip(db, learned.wei, (await readSuggestedTip(rpc, settlement)) ?? (learned.wei * 7n) / 8n);
    learned = await readLearnedTip(db);
  }
  // This process may have learned more meanwhile.
  if (settlement.learnedTip !== before) return;
  settlement.learnedTip = learned.wei;
  settlement.fees = feesNow(service);
}
