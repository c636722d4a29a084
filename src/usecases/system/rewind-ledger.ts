import { readHeader } from '../../chain/blocks.ts';
import { findTreasury, overdrawnAccounts } from '../../ledger/accounts.ts';
import {
  lockFollowing,
  type PostedBlock,
  readCursor,
  readPostedBlocks,
  removeBlocksAbove,
} from '../../ledger/blocks.ts';
import { noteOrphaned } from '../../ledger/orphaned-deposits.ts';
import { applyChanges, BalanceChanges, removePostingsAbove } from '../../ledger/postings.ts';
import { retakeClaims } from '../../ledger/reward-claims.ts';
import { lockRequests } from '../../requests/requests.ts';
import { reopenTransactionsAbove } from '../../transfers/transactions.ts';
import { reopenTransfersAbove } from '../../transfers/transitions.ts';
import type { Service } from '../service.ts';
import { moveRequests } from './move-requests.ts';

const STEP = 64;

/**
 * The chain has left the block at the cursor: goes back to the last block both share, takes the orphaned postings out, sets
 * their transfers' quarters aside again and opens their transactions, so that the same bytes are sent again. Returns false
 * where there was nothing to take back, or another process did.
 */
export async function rewindLedger(service: Service, cursor: PostedBlock): Promise<boolean> {
  const shared = await lastSharedBlock(service, cursor);
  // The endpoints disagree with themselves: look again later.
  if (shared === cursor.number) return false;
  const depth = cursor.number - shared;
  const reopened = await service.db.transaction(async (tx) => {
    if (!(await lockFollowing(tx)) || (await readCursor(tx))?.hash !== cursor.hash) return null;
    await reopenTransactionsAbove(tx, shared);
    const transfers = await reopenTransfersAbove(tx, shared);
    const requests = [...new Set(transfers.flatMap(({ requestId }) => requestId ?? []))];
    // Two moves follow each other: their requests are locked together, in order.
    await lockRequests(tx, requests);
    await moveRequests(tx, requests, 'reorg', 'chain');
    // A stranger may have submitted one of a request's two transfers before we had sent anything.
    await moveRequests(tx, requests, 'submit', 'chain');

    const changes = new BalanceChanges();
    const uncancelled = transfers.filter(({ hadFailed }) => hadFailed).map(({ id }) => id);
    const retaken = await retakeClaims(tx, uncancelled);
    if (retaken !== 0n) changes.add((await findTreasury(tx)).address, { held: retaken });
    const removed = await removePostingsAbove(tx, shared);
    for (const posting of removed) changes.addPosting(posting, -1n);
    for (const { from, amount } of transfers) changes.add(from, { held: amount });
    await removeBlocksAbove(tx, shared);
    await noteOrphaned(tx, removed);
    await applyChanges(tx, changes);
    const accounts = changes.entries().map(([address]) => address);
    return { transfers, accounts, overdrawn: await overdrawnAccounts(tx, accounts) };
  });
  if (!reopened) return false;
  service.settlement.strandedSuspected = true;
  const { transfers, accounts, overdrawn } = reopened;
  const entry = { depth: Number(depth), sharedBlock: Number(shared), reopened: transfers.length };
  if (depth > BigInt(service.settings.finalAfter)) {
    const touched = { transfers: transfers.map(({ id }) => id), accounts };
    service.log.error({ ...entry, ...touched }, 'a reorganisation went deeper than FINAL_AFTER');
  } else service.log.warn(entry, 'the chain was reorganised');
  if (overdrawn.length > 0) {
    // They spend nothing until what they received is on the chain again, which it may never be.
    service.log.error({ accounts: overdrawn }, 'accounts have spent what a reorganisation took back');
  }
  return true;
}

/** Where nothing that is still known of is shared, everything is read anew: the ledger is a mirror and can be rebuilt. */
async function lastSharedBlock({ rpc, db, chain }: Service, cursor: PostedBlock): Promise<bigint> {
  for (let number = cursor.number; ; ) {
    const ours = await readPostedBlocks(db, number, STEP);
    for (const block of ours) {
      const onChain = await readHeader(rpc, block.number);
      // An incomplete block was left too: what is in the ledger of it goes with those above.
      if (onChain?.hash === block.hash && block.complete) return block.number;
    }
    const lowest = ours.at(-1)?.number;
    if (lowest === undefined || ours.length < STEP) return chain.startBlock - 1n;
    number = lowest - 1n;
  }
}
