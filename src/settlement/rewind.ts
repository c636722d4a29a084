import { readHeader } from '../chain/blocks.ts';
import type { Tx } from '../db/database.ts';
import { findTreasury, overdrawnAccounts } from '../ledger/accounts.ts';
import { lockFollowing, type PostedBlock, readCursor, readPostedBlocks, removeBlocksAbove } from '../ledger/blocks.ts';
import { recordOrphaned } from '../ledger/orphaned-deposits.ts';
import { applyChanges, BalanceChanges, removePostingsAbove } from '../ledger/postings.ts';
import { retakeClaims } from '../ledger/reward-claims.ts';
import { loadAll } from '../service/house.ts';
import { TAKEN_BACK, withdrawAbove } from '../service/moments.ts';
import { requireItself } from './agreement.ts';
import { blaming, firstSource } from './blame.ts';
import type { Engine } from './engine.ts';
import { finalBlock, forgetFinality } from './finality.ts';
import { reopenNoncesAbove } from './tables/nonces.ts';
import { type ReopenedTransfer, reopenTransfersAbove } from './tables/transfer-transitions.ts';
import { transitionRequests } from './transition-requests.ts';

const STEP = 64;

/**
 * Rewinds the ledger after the chain has left the block at the cursor. Goes back to the last shared block, removes the
 * orphaned postings, holds their transfers' quarters again and reopens their transactions, so that the same bytes are
 * sent again. Returns false if there was nothing to rewind or another process did it.
 */
export async function rewindLedger(service: Engine, cursor: PostedBlock): Promise<boolean> {
  const shared = await lastSharedBlock(service, cursor);
  // The endpoints contradict each other: check again later.
  if (shared === cursor.number) return false;
  const depth = cursor.number - shared;
  const takers = await loadAll(service.house, TAKEN_BACK);
  const reopened = await service.db.transaction(async (tx) => {
    if (!(await lockFollowing(tx)) || (await readCursor(tx))?.hash !== cursor.hash) return null;
    await reopenNoncesAbove(tx, shared);
    const transfers = await reopenTransfersAbove(tx, shared);
    const changes = new BalanceChanges();
    await takeBackTransfers(tx, transfers, changes);
    const removed = await removePostingsAbove(tx, shared);
    for (const posting of removed) changes.addPosting(posting, -1n);
    await removeBlocksAbove(tx, shared);
    const withdrawn = await withdrawAbove(takers, tx, shared);
    await recordOrphaned(tx, removed);
    await applyChanges(tx, changes);
    const accounts = changes.entries().map(([address]) => address);
    return { transfers, accounts, withdrawn, overdrawn: await overdrawnAccounts(tx, accounts) };
  });
  if (!reopened) return false;
  service.settlement.strandedSuspected = true;
  for (const { amount } of reopened.transfers) service.meters.settle('reorged', amount);
  const { transfers, accounts, withdrawn, overdrawn } = reopened;
  const entry = { depth: Number(depth), sharedBlock: Number(shared), reopened: transfers.length };
  const final = finalBlock(service, cursor.number);
  if (service.settlement.final.number !== null && service.settlement.final.number > shared) {
    forgetFinality(service.settlement);
  }
  if (shared < final) {
    const touched = { transfers: transfers.map(({ id }) => id), accounts };
    service.log.error({ ...entry, ...touched }, 'a reorganisation went deeper than FINAL_AFTER');
  } else service.log.warn(entry, 'the chain was reorganised');
  for (const { what, blocks } of withdrawn) {
    service.log.error({ blocks: blocks.map(Number) }, `a reorganisation withdrew published ${what}`);
  }
  if (overdrawn.length > 0) {
    // They spend nothing until what they received is on the chain again, which may never happen.
    service.log.error({ accounts: overdrawn }, 'accounts have spent what a reorganisation took back');
  }
  return true;
}

/** Undoes what hangs on transfers that are open again: their requests, the rewards that they claimed, and the holds, in `changes`. */
export async function takeBackTransfers(
  tx: Tx,
  transfers: readonly ReopenedTransfer[],
  changes: BalanceChanges,
): Promise<void> {
  const requests = [...new Set(transfers.flatMap(({ requestId }) => requestId ?? []))];
  await transitionRequests(tx, requests, 'reorg', 'chain');
  const uncancelled = transfers.filter(({ hadFailed }) => hadFailed).map(({ id }) => id);
  const retaken = await retakeClaims(tx, uncancelled);
  if (retaken !== 0n) changes.add((await findTreasury(tx)).address, { held: retaken });
  for (const { from, amount } of transfers) changes.add(from, { held: amount });
}

/**
 * The newest block of the ledger that the chain has. If no kept block is shared, everything is read again: the ledger is a mirror of the
 * chain and can be rebuilt. Throws {@link requireItself}'s error if the node says another hash of a block than the block has; another one is
 * asked from then on.
 */
export async function lastSharedBlock(service: Engine, cursor: PostedBlock): Promise<bigint> {
  const { db, chain, readiness } = service;
  const { endpoint, client } = firstSource(service.rpc);
  for (let number = cursor.number; ; ) {
    const ours = await readPostedBlocks(db, number, STEP);
    for (const block of ours) {
      const onChain = await readHeader(client, block.number);
      // An incomplete block is removed too, together with the blocks above it.
      if (onChain?.hash === block.hash && block.complete) return block.number;
      if (onChain && onChain.hash !== block.hash)
        await blaming(service, endpoint, () => requireItself(readiness, client, onChain));
    }
    const lowest = ours.at(-1)?.number;
    if (lowest === undefined || ours.length < STEP) return chain.startBlock - 1n;
    number = lowest - 1n;
  }
}
