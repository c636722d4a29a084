import type { Address } from '../base/address.ts';
import { type Fees, GWEI, replacementFees } from '../chain/fees.ts';
import type { Relayer } from '../chain/relayers.ts';
import { readTransaction, type SendReply, signTransaction } from '../chain/transaction.ts';
import { openSigner } from '../custody/signer.ts';
import { readCursor } from '../ledger/blocks.ts';
import type { Service, Settlement } from './service.ts';
import { insertAttempt, lowestSent } from './tables/transaction-attempts.ts';
import { lowestOpenNonce, type OpenTransaction } from './tables/transactions.ts';

/** The lowest open nonces block all others. The later ones are checked once these are mined. */
const MOST = 20;

/** A transaction that the node refused for a reason that another fee or gas limit fixes. */
export type Faulty = { readonly transaction: OpenTransaction; readonly fault: NonNullable<SendReply['fault']> };

type Change = { readonly fees: Fees; readonly gas: bigint };

type Replacing = Pick<Service, 'db' | 'vault' | 'settings' | 'log'> & {
  readonly settlement: Pick<Settlement, 'fees' | 'blockGasLimit' | 'feeCeilingReached'>;
};

/**
 * Watches for relayers whose lowest open nonce has not changed for `REPLACE_AFTER_BLOCKS` followed blocks, and makes
 * another attempt at their lowest transactions. Transactions that only wait behind others that are being mined are left
 * alone.
 *
 * The returned check is cheap until there is a new block. It resolves with the number of replacements.
 */
export function watchStuck(service: Service): (relayer: Relayer) => Promise<number> {
  const { db, settings, settlement } = service;
  const watched = new Map<Address, { nonce: bigint | null; since: bigint; head: bigint }>();
  return async (relayer) => {
    const seen = watched.get(relayer.address);
    if (seen?.head === settlement.head) return 0;
    const followed = (await readCursor(db))?.number ?? 0n;
    const nonce = await lowestOpenNonce(db, relayer.address);
    const hasChanged = !seen || nonce === null || seen.nonce !== nonce;
    const isStuck = !hasChanged && followed - seen.since >= BigInt(settings.replaceAfterBlocks);
    const since = hasChanged || isStuck ? followed : seen.since;
    watched.set(relayer.address, { nonce, since, head: settlement.head });
    return isStuck ? replaceLowest(service, relayer) : 0;
  };
}

/**
 * Makes another attempt at the relayer's lowest open nonces: same nonce, same payload, higher fees up to
 * `MAX_FEE_PER_GAS_GWEI`. All attempts are kept, because any of them may be mined. Returns how many.
 */
export async function replaceLowest(service: Replacing, relayer: Relayer): Promise<number> {
  const lowest = await lowestSent(service.db, relayer.address, MOST);
  return makeAttempts(service, relayer, lowest, (before) => bump(service, before));
}

/** Corrects what the node refused. The same bytes would be refused for ever and block the nonce. Returns how many. */
export async function correctFaulty(service: Replacing, relayer: Relayer, faulty: readonly Faulty[]): Promise<number> {
  let corrected = 0;
  for (const { transaction, fault } of faulty) {
    corrected += await makeAttempts(service, relayer, [transaction], (before) => {
      const bumped = bump(service, before);
      if (fault === 'fee-too-low') return bumped;
      // A node that has an earlier attempt requires a higher fee. If the ceiling allows none, the gas limit is
      // corrected all the same.
      const { fees } = bumped ?? before;
      if (fault === 'gas-too-low') return { fees, gas: (before.gas * 3n) / 2n };
      const { blockGasLimit } = service.settlement;
      return blockGasLimit < before.gas ? { fees, gas: blockGasLimit } : null;
    });
  }
  return corrected;
}

function bump({ settings, settlement }: Replacing, before: Change): Change | null {
  const fees = replacementFees(before.fees, settlement.fees, BigInt(settings.maxFeePerGasGwei) * GWEI);
  return fees && { fees, gas: before.gas };
}

async function makeAttempts(
  { vault, db, settlement, log }: Replacing,
  relayer: Relayer,
  transactions: readonly OpenTransaction[],
  change: (before: Change) => Change | null,
): Promise<number> {
  if (transactions.length === 0) return 0;
  const { sign } = openSigner(vault, relayer.address, relayer.sealedKey);
  let made = 0;
  for (const transaction of transactions) {
    const before = readTransaction(transaction.raw);
    const changed = change(before);
    if (!changed) {
      const entry = { relayer: relayer.address, nonce: Number(transaction.nonce) };
      if (!settlement.feeCeilingReached) log.warn(entry, 'no higher fee is allowed: see MAX_FEE_PER_GAS_GWEI');
      settlement.feeCeilingReached = true;
      return made;
    }
    settlement.feeCeilingReached = false;
    const attempt = signTransaction({ ...before, ...changed }, sign);
    if (await db.transaction((tx) => insertAttempt(tx, transaction, attempt))) made++;
  }
  if (made > 0) log.warn({ relayer: relayer.address, made }, 'transactions were replaced');
  return made;
}
