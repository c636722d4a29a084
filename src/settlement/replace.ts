import type { Address } from '../base/address.ts';
import { atMost, type Fees, largerFee, legacyFees, replacementFees } from '../chain/fees.ts';
import { readSuggestedTip } from '../chain/learned-tip.ts';
import type { StoredTransaction } from '../chain/outgoing.ts';
import type { Relayer } from '../chain/relayers.ts';
import type { RefusedFor } from '../chain/send-reply.ts';
import { readNonce } from '../chain/state.ts';
import { readTransaction, signTransaction } from '../chain/transaction.ts';
import { openSigner } from '../custody/signer.ts';
import { readCursor, waitForFollowing } from '../ledger/blocks.ts';
import type { Service, Settlement } from '../service/service.ts';
import { ceilingOf, learnFeeCap, raiseGas } from './gas-limits.ts';
import { readMarks } from './tables/nonces.ts';
import { insertAttempt, newestAttempts } from './tables/transactions.ts';
import { feesNow, learnTip, noteRaised, type Prices, paysWholeTip } from './tips.ts';

/** The lowest open nonces block all others. The later ones are checked once these are mined. */
const MOST = 20;

/** A transaction that the node refused for a reason that another fee or gas limit fixes. */
export type Faulty = {
  readonly transaction: StoredTransaction;
  readonly fault: Exclude<RefusedFor, 'no-funds'>;
  readonly leastTip?: bigint | undefined;
  readonly leastGas?: bigint | undefined;
  readonly mostFee?: bigint | undefined;
  readonly mostGas?: bigint | undefined;
};

type Change = { readonly fees: Fees; readonly gas: bigint };

type Replacing = Pick<Service, 'db' | 'rpc' | 'vault' | 'settings' | 'log'> & {
  readonly settlement: Prices &
    Pick<Settlement, 'blockGasLimit' | 'gasPercent' | 'mostGas' | 'mostFee' | 'atFeeCeiling'>;
};

/**
 * Watches for relayers whose lowest open nonce has not changed for `REPLACE_AFTER_BLOCKS` followed blocks, and makes
 * another attempt at their lowest transactions. Transactions that only wait behind others that are being mined are left
 * alone, and so is what was mined in a block that is not followed yet: the chain is asked before anything is replaced.
 *
 * The returned check is cheap until there is a new block. It resolves with the new attempts, to be sent.
 */
export function watchStuck(service: Service): (relayer: Relayer) => Promise<StoredTransaction[]> {
  const { db, rpc, settings, settlement } = service;
  const watched = new Map<Address, { nonce: bigint; since: bigint; head: bigint }>();
  return async (relayer) => {
    const seen = watched.get(relayer.address);
    if (seen?.head === settlement.head) return [];
    const followed = (await readCursor(db))?.number ?? 0n;
    const { consumed: nonce, sent } = (await readMarks(db, [relayer.address])).get(relayer.address)!;
    const hasChanged = seen?.nonce !== nonce || sent <= nonce;
    const isDue = !hasChanged && followed - seen.since >= BigInt(settings.replaceAfterBlocks);
    const isStuck = isDue && (await readNonce(rpc, relayer.address, 'latest')) <= nonce;
    const since = hasChanged || isStuck ? followed : seen.since;
    watched.set(relayer.address, { nonce, since, head: settlement.head });
    return isStuck ? replaceLowest(service, relayer) : [];
  };
}

/**
 * Makes another attempt at the relayer's lowest open nonces: same nonce, same payload, higher fees up to
 * `MAX_FEE_PER_GAS_GWEI`. All attempts are kept, because any of them may be mined. Returns the new ones, to be sent.
 */
export async function replaceLowest(service: Replacing, relayer: Relayer): Promise<StoredTransaction[]> {
  const { consumed, sent } = (await readMarks(service.db, [relayer.address])).get(relayer.address)!;
  const lowest = await newestAttempts(service.db, relayer.address, { from: consumed, below: sent, most: MOST });
  if (lowest.length === 0) return [];
  const now = await feesAfter(service, lowest[0]!);
  const made = await makeAttempts(service, relayer, lowest, (before) => bump(service, before, now));
  if (mayLackTip(service, lowest[0]!)) noteRaised(service, made);
  return made;
}

/** Whether a transaction that was not taken or not mined may have too low a tip. Otherwise its fee is too low for the block. */
function mayLackTip(service: Replacing, { raw }: StoredTransaction): boolean {
  return paysWholeTip(service, readTransaction(raw).fees);
}

/** The fees of another attempt. If the tip may be the reason for it, the node says what is usual. */
async function feesAfter(service: Replacing, before: StoredTransaction): Promise<Fees> {
  if (!mayLackTip(service, before)) return service.settlement.fees;
  return feesNow(service, (await readSuggestedTip(service.rpc, service.settlement)) ?? 0n);
}

/** Corrects what the node refused. The same bytes would be refused for ever and block the nonce. Returns how many. */
export async function correctFaulty(service: Replacing, relayer: Relayer, faulty: readonly Faulty[]): Promise<number> {
  const { settlement } = service;
  let corrected = 0;
  const now = await feesAfterRefusal(service, faulty);
  for (const { transaction, fault, leastGas = null, mostFee, mostGas } of faulty) {
    const unsigned = readTransaction(transaction.raw);
    // A node that takes this type neither is to be told of by its words: the fee is not the fault.
    if (fault === 'type-unsupported' && unsigned.fees.isLegacy) continue;
    if (fault === 'fee-above-cap') learnFeeCap(settlement, unsigned, mostFee ?? null);
    if (fault === 'gas-too-high' && mostGas) settlement.mostGas = mostGas;
    const raised = fault === 'gas-too-low' ? await raiseGas(service, relayer.address, unsigned, leastGas) : null;
    const made = await makeAttempts(service, relayer, [transaction], (before) => {
      if (fault === 'fee-above-cap') return lowered(service, before);
      if (fault === 'type-unsupported') return asLegacy(service, before, now);
      const bumped = bump(service, before, now);
      if (fault === 'fee-too-low' || fault === 'underpriced') return bumped;
      // A node that has an earlier attempt requires a higher fee. If the ceiling allows none, the gas limit is
      // corrected all the same.
      const { fees } = bumped ?? before;
      if (fault === 'gas-too-low') return raised === null ? null : { fees, gas: raised };
      const most = settlement.mostGas ?? settlement.blockGasLimit;
      return most < before.gas ? { fees, gas: most } : null;
    });
    if (fault === 'fee-too-low' && mayLackTip(service, transaction)) noteRaised(service, made);
    corrected += made.length;
  }
  return corrected;
}

/** A node does not let it cost so much, so it has no earlier attempt, and a lower fee is no replacement. */
function lowered(service: Replacing, { fees, gas }: Change): Change | null {
  const within = atMost(fees, ceilingOf(service, gas));
  return within.maxFeePerGas < fees.maxFeePerGas ? { fees: within, gas } : null;
}

/** A node does not know its type, so it has no earlier attempt, and what that was ready to pay at most is no price. */
function asLegacy(service: Replacing, { fees, gas }: Change, now: Fees): Change {
  const tip = largerFee(fees.maxPriorityFeePerGas, now.maxPriorityFeePerGas);
  return { fees: legacyNow(service, tip, gas), gas };
}

/** Where the chain has a base fee, twice that, because all of a gas price is paid. */
const legacyNow = (service: Replacing, tip: bigint, gas: bigint): Fees =>
  legacyFees((service.settlement.baseFeePerGas ?? 0n) * 2n + tip, ceilingOf(service, gas));

/** A refusal that names a tip is believed at once. Otherwise what is mined in the end shows it. */
async function feesAfterRefusal(service: Replacing, faulty: readonly Faulty[]): Promise<Fees> {
  const leastTip = faulty.reduce((most, { leastTip = 0n }) => largerFee(most, leastTip), 0n);
  if (leastTip > 0n) await learnTip(service, leastTip);
  const first = faulty.find(({ fault }) => fault === 'fee-too-low');
  if (!first || leastTip > 0n) return service.settlement.fees;
  return feesAfter(service, first.transaction);
}

function bump(service: Replacing, before: Change, now: Fees): Change | null {
  // Also after an upgrade of the chain: the limit of the other type is no price.
  const usual = before.fees.isLegacy ? legacyNow(service, now.maxPriorityFeePerGas, before.gas) : now;
  const fees = replacementFees(before.fees, usual, ceilingOf(service, before.gas));
  return fees && { fees, gas: before.gas };
}

async function makeAttempts(
  { vault, db, settlement, log }: Replacing,
  relayer: Relayer,
  transactions: readonly StoredTransaction[],
  change: (before: Change) => Change | null,
): Promise<StoredTransaction[]> {
  if (transactions.length === 0) return [];
  const { sign } = openSigner(vault, relayer.address, relayer.storedKey);
  const made: StoredTransaction[] = [];
  for (const transaction of transactions) {
    const before = readTransaction(transaction.raw);
    const changed = change(before);
    if (!changed) {
      const entry = { relayer: relayer.address, nonce: Number(transaction.nonce) };
      const isNew = (settlement.atFeeCeiling.get(relayer.address) ?? -1n) < transaction.nonce;
      if (isNew) log.warn(entry, 'no higher fee is allowed: see MAX_FEE_PER_GAS_GWEI');
      if (isNew) settlement.atFeeCeiling.set(relayer.address, transaction.nonce);
      return made;
    }
    const attempt = signTransaction({ ...before, ...changed }, sign);
    const isStored = await db.transaction(async (tx) => {
      // An attempt may carry several transfers, and a block settles its transfers in any order.
      await waitForFollowing(tx);
      return insertAttempt(tx, transaction, attempt);
    });
    if (isStored) made.push({ ...transaction, ...attempt, attempt: transaction.attempt + 1 });
  }
  if (made.length > 0) log.warn({ relayer: relayer.address, made: made.length }, 'transactions were replaced');
  return made;
}
