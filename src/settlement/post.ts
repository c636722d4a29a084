import type { RequestId } from '../base/ids.ts';
import type { Meters } from '../base/meters.ts';
import type { TokenLog } from '../chain/block-replies.ts';
import type { Settings } from '../config/settings.ts';
import type { Tx } from '../db/database.ts';
import { findAccounts, findTreasury } from '../ledger/accounts.ts';
import { lockFollowing, type PostedBlock, readCursor, storeBlock, storeEmptyBlocks } from '../ledger/blocks.ts';
import { recordReturned } from '../ledger/orphaned-deposits.ts';
import { applyChanges, BalanceChanges, insertPostings } from '../ledger/postings.ts';
import { returnClaims } from '../ledger/reward-claims.ts';
import { recordShares } from '../ledger/rewards.ts';
import { lockLiveRequests } from '../requests/lock-requests.ts';
import type { Service } from '../service/service.ts';
import { recordConsumedNonces } from './tables/nonces.ts';
import { type AuthorizationLog, type SettledTransfer, settleTransfers } from './tables/transfer-transitions.ts';
import { settledRequests } from './tables/transfers.ts';
import { type KnownPayment, transitionRequests } from './transition-requests.ts';

/**
 * Posts a chunk of a block's logs to the ledger, in one transaction with the cursor: postings, settled transfers, their
 * requests, returned claims of rewards and, last because they are busy, the accounts. `block` is the cursor as it will
 * be afterwards.
 *
 * Returns false without effect if another process follows the chain at this moment or has moved the cursor, or if another database
 * server has taken over and is not compared with the chain yet.
 */
export async function postLogs(
  service: Pick<Service, 'db' | 'settings' | 'meters'> & Guard,
  block: PostedBlock,
  logs: readonly TokenLog[],
): Promise<boolean> {
  const { db, settings, meters } = service;
  const settled = await db.transaction(async (tx) => {
    if (!(await mayPost(tx, service, block))) return null;

    const changes = new BalanceChanges();
    const [, settled] = await Promise.all([storeBlock(tx, block), creditLogs(tx, settings, block, logs, changes)]);
    await applyChanges(tx, changes);
    return settled;
  });
  if (settled) countSettled(meters, settled);
  return settled !== null;
}

/**
 * Stores those logs of a posted block that the ledger does not have, settles their transfers and what hangs on them, and adds to `changes`
 * what the accounts are to be changed by. Returns the transfers that were not settled before.
 */
export async function creditLogs(
  tx: Tx,
  settings: Pick<Settings, 'rewardSharePercent'>,
  block: Pick<PostedBlock, 'number' | 'hash'>,
  logs: readonly TokenLog[],
  changes: BalanceChanges,
): Promise<readonly SettledTransfer[]> {
  const paid = logs.filter((log) => log.kind === 'transfer');
  const authorizations = logs.filter((log): log is TokenLog & AuthorizationLog => log.kind !== 'transfer');
  const [postings, settled] = await Promise.all([
    insertPostings(
      tx,
      paid.map((log) => ({ ...log, blockHash: block.hash, blockNumber: block.number })),
    ),
    settleTransfers(tx, authorizations, block.number),
  ]);
  for (const posting of postings) changes.addPosting(posting, 1n);
  for (const { from, amount } of settled) changes.add(from, { held: -amount });
  const failed = settled.filter(({ status }) => status === 'failed');

  const requests = await settledRequestsOf(tx, settled);
  const known = paymentsOf(settled);
  // Two transitions follow: lock their requests together, in order.
  if (requests.failed.length > 0) await lockLiveRequests(tx, [...requests.completed, ...requests.failed]);
  const mined = settled.flatMap(({ isOurs, relayer, relayerNonce: nonce }) => (isOurs ? [{ relayer, nonce }] : []));
  await Promise.all([
    transitionRequests(tx, requests.completed, 'complete', 'chain', known),
    transitionRequests(tx, requests.failed, 'fail', 'chain', known),
    recordConsumedNonces(tx, block.number, mined),
  ]);
  if (settings.rewardSharePercent > 0) await recordShares(tx, requests.completed);
  if (failed.length > 0) await giveBackClaims(tx, failed, changes);
  await recordReturned(tx, postings);
  return settled;
}

/** Counts what blocks have settled in the metrics of this process. */
export function countSettled(meters: Meters, settled: readonly SettledTransfer[]): void {
  const now = Date.now();
  for (const { acceptedAt, status, amount } of settled) {
    meters.settle(status, amount);
    // The database's clock may be ahead of ours.
    if (status === 'completed') meters.complete(Math.max(0, now - acceptedAt.getTime()) / 1000);
  }
}

type SettledRequests = { readonly completed: readonly RequestId[]; readonly failed: readonly RequestId[] };

/** The requests that are settled now. Most have one transfer; the others are read. */
async function settledRequestsOf(tx: Tx, settled: readonly SettledTransfer[]): Promise<SettledRequests> {
  const requestsOf = (status: SettledTransfer['status'] | 'split') =>
    settled.flatMap(({ requestId, isSplit, status: own }) =>
      requestId && (isSplit ? status === 'split' : status === own) ? [requestId] : [],
    );
  const ofSplits = await settledRequests(tx, [...new Set(requestsOf('split'))]);
  return {
    completed: [...requestsOf('completed'), ...ofSplits.completed],
    failed: [...requestsOf('failed'), ...ofSplits.failed],
  };
}

/** What the settled transfers tell of their requests. If a request has two transfers, the older one's transaction counts, and is read. */
function paymentsOf(settled: readonly SettledTransfer[]): Map<RequestId, KnownPayment> {
  return new Map(
    settled.flatMap(({ requestId, isSplit, txHash, sentAt }) =>
      requestId ? [[requestId, { txHash: isSplit ? undefined : txHash, sentAt }] as const] : [],
    ),
  );
}

/** Cancelled transfers pay nothing, so the rewards that they claimed can be spent again. */
async function giveBackClaims(tx: Tx, failed: readonly SettledTransfer[], changes: BalanceChanges): Promise<void> {
  const returned = await returnClaims(
    tx,
    failed.map(({ id }) => id),
  );
  if (returned.users.length === 0) return;
  changes.add((await findTreasury(tx)).address, { held: returned.held });
  // The users' balances do not change. Closed accounts are marked, so that their returned rewards are ended once
  // more.
  for (const { address } of await findAccounts(tx, { users: returned.users })) changes.add(address, {});
}

/** Moves the cursor over consecutive blocks without a log of the token, at once. Returns false as `postLogs` does. */
export async function postEmptyBlocks(
  service: Pick<Service, 'db'> & Guard,
  blocks: readonly Pick<PostedBlock, 'number' | 'hash' | 'parentHash'>[],
): Promise<boolean> {
  const [first] = blocks;
  if (!first) return true;
  return service.db.transaction(async (tx) => {
    if (!(await mayPost(tx, service, first))) return false;
    await storeEmptyBlocks(tx, blocks);
    return true;
  });
}

type Guard = Pick<Service, 'chain' | 'readiness'>;
type BlockPlace = Pick<PostedBlock, 'number' | 'hash' | 'parentHash'>;

/**
 * Locks following. False if another process follows, or if the ledger is not where this block continues it.
 *
 * Also false until this database server has been compared with the chain. Another one may have taken over since the round
 * began, and the comparison looks for lost payments only in blocks that the ledger does not have.
 */
async function mayPost(tx: Tx, { chain, readiness }: Guard, block: BlockPlace): Promise<boolean> {
  const [isLocked, cursor] = await Promise.all([lockFollowing(tx), readCursor(tx)]);
  return readiness.compared === 'done' && isLocked && continues(cursor, block, chain.startBlock);
}

function continues(cursor: PostedBlock | null, block: BlockPlace, startBlock: bigint): boolean {
  // Another process may have rewound everything in the meantime. Following then starts again at the first block.
  if (!cursor) return block.number === startBlock;
  if (cursor.number === block.number) return !cursor.complete && cursor.hash === block.hash;
  return cursor.complete && cursor.number + 1n === block.number && cursor.hash === block.parentHash;
}
