import type { TransferId } from '../base/ids.ts';
import { readUsedAuthorizations } from '../chain/balances.ts';
import { takeNonces } from '../chain/relayers.ts';
import type { Tx } from '../db/database.ts';
import { storedKeys } from '../ledger/accounts.ts';
import { lockFollowing, readCursor } from '../ledger/blocks.ts';
import { authorizeAgain, type Bundle, cancellation, chooseRelayer, payment, signBundles } from './accept/signing.ts';
import type { Engine } from './engine.ts';
import { maySend } from './readiness.ts';
import { insertTransactions } from './tables/transactions.ts';
import { hasStranded, lockStrandedTransfers, setCarriers } from './tables/transfer-transitions.ts';
import { nonceOf, type Transfer } from './tables/transfers.ts';

const MOST_STRANDED = 100;

/**
 * Gives transfers that lost their transaction (it reverted, or its nonce was used) a new one each, with the same authorization. The chain
 * accepts an authorization once, so this cannot pay twice. Transfers to be cancelled get a cancellation.
 *
 * What cannot be sent yet (its payer lacks quarters, it was tried a moment ago, or nobody could be asked) is looked at again, in each round.
 * Throws if the node does not answer.
 */
export async function reissueSuspected(service: Engine): Promise<void> {
  const { settlement, readiness, db } = service;
  if (!settlement.strandedSuspected || settlement.leases.length === 0) return;
  // The relayers' nonces cannot be trusted, or what is sent has no effect.
  if (readiness.suspended || readiness.chain !== 'ok') return;
  // What is suspected from now on is not looked at below.
  settlement.strandedSuspected = false;
  try {
    await reissueStranded(service);
    if (await hasStranded(db)) settlement.strandedSuspected = true;
  } catch (error) {
    settlement.strandedSuspected = true;
    throw error;
  }
}

async function reissueStranded(service: Engine): Promise<void> {
  const free = await lookBeforeRepeating(service);
  if (free.size === 0) return;
  const relayer = chooseRelayer(service.settlement, 0);
  await service.db.transaction(async (tx) => {
    // Another server that lacks the last commits would give nonces away a second time.
    if (!maySend(service.readiness)) return;
    // While a block is half posted, a transfer may look stranded only because its log comes in the next chunk.
    if (!(await lockFollowing(tx)) || !(await readCursor(tx))?.complete) return;
    const stranded = await lockStrandedTransfers(tx, MOST_STRANDED, { among: [...free] });
    if (stranded.length === 0) return;
    const bundles = await newBundles(service, tx, stranded);
    const firstNonce = await takeNonces(tx, relayer.address, bundles.length);
    const signed = await signBundles(service, relayer, firstNonce, bundles);
    await insertTransactions(tx, signed);
    await setCarriers(
      tx,
      signed.map(({ hash, nonce }, i) => {
        return { id: stranded[i]!.id, relayer: relayer.address, relayerNonce: nonce, txHash: hash };
      }),
    );
    service.log.warn({ transfers: stranded.map(({ id }) => id) }, 'transfers were given a new transaction');
  });
}

/**
 * Stranded transfers whose authorization is free, as the chain says now. A new transaction of the others would only revert, and cost gas:
 * their block is not followed yet, or its logs were withheld from us.
 */
async function lookBeforeRepeating({ db, rpc, chain, settlement, log }: Engine): Promise<ReadonlySet<TransferId>> {
  const free = new Set<TransferId>();
  const used: TransferId[] = [];
  let found: Transfer[];
  do {
    found = await db.transaction((tx) => lockStrandedTransfers(tx, MOST_STRANDED, { except: used }));
    const authorizations = found.map((transfer) => ({ from: transfer.from, nonce: nonceOf(transfer) }));
    const states = await readUsedAuthorizations(rpc, chain.contracts.token, 'latest', authorizations);
    for (const [i, { id }] of found.entries()) {
      if (states[i]) used.push(id);
      else free.add(id);
    }
  } while (found.length === MOST_STRANDED && free.size === 0);
  const unseen = used.filter((id) => !settlement.settledUnseen.has(id));
  settlement.settledUnseen = new Set(used);
  if (unseen.length > 0) {
    log.warn(
      { transfers: unseen },
      'the chain has settled transfers whose logs the ledger does not have: see `quarters audit`',
    );
  }
  return free;
}

/** Signs the same authorizations again, with the same nonces, so each can be used once. */
async function newBundles(service: Engine, tx: Tx, stranded: readonly Transfer[]): Promise<Bundle[]> {
  const paid = stranded.filter(({ cancelling }) => !cancelling);
  const authorizations = await authorizeAgain(tx, service, paid);
  const payers = stranded.filter(({ cancelling }) => cancelling).map(({ from }) => from);
  const keys = await storedKeys(tx, payers);
  return stranded.map((transfer) =>
    transfer.cancelling
      ? cancellation(service, transfer, keys.get(transfer.from)!)
      : payment(service, [[transfer.id, authorizations.get(transfer.id)!]]),
  );
}
