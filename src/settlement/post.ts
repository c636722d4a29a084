import type { TokenLog } from '../chain/blocks.ts';
import { findAccounts, findTreasury } from '../ledger/accounts.ts';
import { lockFollowing, type PostedBlock, readCursor, storeBlock, storeEmptyBlocks } from '../ledger/blocks.ts';
import { recordReturned } from '../ledger/orphaned-deposits.ts';
import { applyChanges, BalanceChanges, insertPostings } from '../ledger/postings.ts';
import { returnClaims } from '../ledger/reward-claims.ts';
import { recordShares } from '../ledger/rewards.ts';
import { lockRequests } from '../requests/requests.ts';
import type { Service } from './service.ts';
import { markMined } from './tables/transactions.ts';
import { settleTransfers } from './tables/transfer-transitions.ts';
import { decidedRequests } from './tables/transfers.ts';
import { transitionRequests } from './transition-requests.ts';

type AuthorizationLog = Extract<TokenLog, { kind: 'used' | 'canceled' }>;

/**
 * Posts a chunk of a block's logs to the ledger, in one transaction with the cursor: postings, settled transfers, their
 * requests, returned claims of rewards and, last because they are busy, the accounts. `block` is the cursor as it will
 * be afterwards.
 *
 * Returns false without effect if another process follows the chain at this moment or has moved the cursor.
 */
export async function postLogs(
  { db, chain, settings }: Pick<Service, 'db' | 'chain' | 'settings'>,
  block: PostedBlock,
  logs: readonly TokenLog[],
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockFollowing(tx)) || !continues(await readCursor(tx), block, chain.startBlock)) return false;

    await storeBlock(tx, block);
    const paid = logs.filter((log) => log.kind === 'transfer');
    const postings = await insertPostings(
      tx,
      paid.map((log) => ({ ...log, blockHash: block.hash, blockNumber: block.number })),
    );
    const changes = new BalanceChanges();
    for (const posting of postings) changes.addPosting(posting, 1n);

    const authorizations = logs.filter((log): log is AuthorizationLog => log.kind !== 'transfer');
    await markMined(
      tx,
      logs.map((log) => log.txHash),
      block.number,
    );
    const settled = await settleTransfers(tx, authorizations, block.number);
    for (const { from, amount } of settled) changes.add(from, { held: -amount });
    const failed = settled.filter(({ status }) => status === 'failed');

    const ids = [...new Set(settled.flatMap(({ requestId }) => requestId ?? []))];
    const decided = await decidedRequests(tx, ids);
    // Two transitions follow: lock their requests together, in order.
    if (decided.failed.length > 0) await lockRequests(tx, ids);
    await transitionRequests(tx, decided.completed, 'complete', 'chain');
    await transitionRequests(tx, decided.failed, 'fail', 'chain');
    if (settings.rewardSharePercent > 0) await recordShares(tx, decided.completed);
    const returned = await returnClaims(
      tx,
      failed.map(({ id }) => id),
    );
    if (returned.users.length > 0) {
      changes.add((await findTreasury(tx)).address, { held: returned.held });
      // The users' balances do not change. Closed accounts are marked, so that their returned rewards are ended once
      // more.
      for (const { address } of await findAccounts(tx, returned.users, [])) changes.add(address, {});
    }
    await recordReturned(tx, postings);
    await applyChanges(tx, changes);
    return true;
  });
}

/** Moves the cursor over consecutive blocks without a log of the token, at once. Returns false as `postLogs` does. */
export async function postEmptyBlocks(
  { db, chain }: Pick<Service, 'db' | 'chain'>,
  blocks: readonly Pick<PostedBlock, 'number' | 'hash' | 'parentHash'>[],
): Promise<boolean> {
  const [first] = blocks;
  if (!first) return true;
  return db.transaction(async (tx) => {
    if (!(await lockFollowing(tx)) || !continues(await readCursor(tx), first, chain.startBlock)) return false;
    await storeEmptyBlocks(tx, blocks);
    return true;
  });
}

function continues(
  cursor: PostedBlock | null,
  block: Pick<PostedBlock, 'number' | 'hash' | 'parentHash'>,
  startBlock: bigint,
): boolean {
  // Another process may have rewound everything in the meantime. Following then starts again at the first block.
  if (!cursor) return block.number === startBlock;
  if (cursor.number === block.number) return !cursor.complete && cursor.hash === block.hash;
  return cursor.complete && cursor.number + 1n === block.number && cursor.hash === block.parentHash;
}
