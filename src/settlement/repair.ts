import type { Hash } from '../base/hex.ts';
import type { TokenLog } from '../chain/block-replies.ts';
import { type BlockHeader, readHeaders, type VouchedHeader } from '../chain/blocks.ts';
import type { EndpointClient } from '../chain/rpc.ts';
import type { Queries, Tx } from '../db/database.ts';
import { holdMonths } from '../ledger/archived-months.ts';
import { type PostedBlock, readCursor, readPostedBlocks } from '../ledger/blocks.ts';
import { applyChanges, type BalanceChanges, type Posting, readPostingsOf, removePostings } from '../ledger/postings.ts';
import { firstSource } from './blame.ts';
import type { Engine } from './engine.ts';
import { placedAsPosted } from './log-places.ts';
import { creditLogs } from './post.ts';
import { takeBackTransfers } from './rewind.ts';
import { reopenNoncesAbove } from './tables/nonces.ts';
import {
  type AuthorizationLog,
  type DecidedTransfer,
  findSettled,
  reopenTransfers,
  transfersDecidedIn,
} from './tables/transfer-transitions.ts';
import { nonceOf } from './tables/transfers.ts';
import { notingProof, vouchForBlock } from './vouch.ts';

/** How the ledger's copy of a block differs from the block. */
export type BlockFaults = {
  readonly number: bigint;
  readonly hash: Hash;
  /** Postings that the block does not have, or has otherwise. */
  readonly falsePostings: readonly Posting[];
  /** `Transfer` logs of the block that are not posted as they are. */
  readonly missingPostings: number;
  /** Transfers that count as settled in this block without its saying so. */
  readonly falselySettled: readonly DecidedTransfer[];
  /** Open transfers that this block has settled. */
  readonly unsettled: number;
};

type Deps = Pick<Engine, 'db' | 'rpc' | 'chain' | 'readiness' | 'log'>;

const STEP = 64n;
const PROVEN_AT_ONCE = 8;

/**
 * Reads the blocks from `from` up to the ledger's cursor again, and compares what the ledger has of each with its logs. They are proven as
 * when they are followed, and each header has to be the parent of the one above it. Returns the blocks that differ, the lowest first, and the
 * cursor on which that rests. Changes nothing. `report` gets how many blocks are read, and of how many.
 *
 * Throws if the chain or the ledger moves back meanwhile, or nobody proves the logs of a block.
 */
export async function findFaultyBlocks(
  service: Deps,
  from: bigint,
  report: (done: number, total: number) => void = () => {},
): Promise<{ readonly anchor: PostedBlock; readonly faulty: readonly BlockFaults[] }> {
  const { db } = service;
  const cursor = await readCursor(db);
  const anchor = cursor?.complete ? cursor : cursor && (await readPostedBlocks(db, cursor.number - 1n, 1))[0];
  if (!anchor) throw new Error('No block is wholly posted yet. The service must be running.');
  const total = Number(anchor.number - from + 1n);
  const faulty = new Map<bigint, BlockFaults>();
  for await (const { logs, ...block } of blocksBelow(service, anchor, from)) {
    const found = await compareBlock(db, block, logs);
    if (found) faulty.set(block.number, found);
    report(Number(anchor.number - block.number) + 1, total);
  }
  const falselySettled = [...faulty.values()].flatMap((block) => block.falselySettled);
  if (falselySettled.length > 0) {
    // What counts as settled in one block may be settled by another, which has no fault of its own.
    const nonces = new Set(falselySettled.map(nonceOf));
    for await (const { logs, ...block } of blocksBelow(service, anchor, from)) {
      const shown = authorizationsIn(logs).filter(({ nonce }) => nonces.has(nonce)).length;
      const known = faulty.get(block.number) ?? { ...block, ...NO_FAULTS };
      if (shown > 0) faulty.set(block.number, { ...known, unsettled: known.unsettled + shown });
    }
  }
  return { anchor, faulty: [...faulty.values()].sort((a, b) => Number(a.number - b.number)) };
}

const NO_FAULTS = { falsePostings: [], missingPostings: 0, falselySettled: [], unsettled: 0 };

/** A block and its logs, as proven. */
export type ProvenBlock = Pick<PostedBlock, 'number' | 'hash'> & {
  readonly logs: readonly TokenLog[];
  readonly at: Date;
};

/** The blocks from one of the ledger downwards, proven, each the parent of the one before. Throws if the node has another block there. */
export async function* blocksBelow(
  service: Deps,
  anchor: Pick<PostedBlock, 'number' | 'hash'>,
  from: bigint,
): AsyncGenerator<ProvenBlock> {
  // Headers, and a header and its logs, come from one node.
  const source = firstSource(service.rpc);
  let expected = anchor.hash;
  for (let last = anchor.number; last >= from; last -= STEP) {
    const first = last - STEP + 1n > from ? last - STEP + 1n : from;
    const headers = await readHeaders(source.client, first, last);
    if (BigInt(headers.length) !== last - first + 1n) throw new Error(`The node does not give block ${last}.`);
    for (const header of headers.reverse()) {
      if (header.hash !== expected) {
        throw new Error(`The node has another block ${header.number} than the ledger. Try again when it is in sync.`);
      }
      const { parentHash, ...block } = await provenBlock(service, source, header);
      expected = parentHash;
      yield block;
    }
  }
}

/** Null if the ledger has the block as it is. */
async function compareBlock(
  db: Queries,
  { number, hash }: Pick<PostedBlock, 'number' | 'hash'>,
  logs: readonly TokenLog[],
): Promise<BlockFaults | null> {
  const postings = await readPostingsOf(db, number);
  const placed = placedAsPosted(postings, logs);
  const proven = new Map(placed.flatMap((log) => (log.kind === 'transfer' ? [[log.logIndex, log] as const] : [])));
  const falsePostings = postings.filter((posting) => {
    const log = proven.get(posting.logIndex);
    const isSame = log && log.from === posting.from && log.to === posting.to && log.amount === posting.amount;
    return !isSame || posting.blockHash !== hash || posting.txHash !== log.txHash;
  });
  const authorizations = authorizationsIn(logs);
  const shown = new Map(authorizations.map((log) => [`${log.authorizer} ${log.nonce}`, log.kind]));
  const decided = await transfersDecidedIn(db, number);
  const falselySettled = decided.filter((transfer) => {
    const kind = shown.get(`${transfer.from} ${nonceOf(transfer)}`);
    return kind !== (transfer.status === 'completed' ? 'used' : 'canceled');
  });
  const unsettled = (await findSettled(db, authorizations)).length;
  const missingPostings = proven.size - (postings.length - falsePostings.length);
  const isRight = falsePostings.length + missingPostings + falselySettled.length + unsettled === 0;
  return isRight ? null : { number, hash, falsePostings, missingPostings, falselySettled, unsettled };
}

const authorizationsIn = (logs: readonly TokenLog[]) =>
  logs.filter((log): log is TokenLog & AuthorizationLog => log.kind !== 'transfer');

/** The logs of these blocks, proven once more. */
export async function proveBlocks(
  service: Deps,
  blocks: readonly Pick<PostedBlock, 'number' | 'hash'>[],
): Promise<ProvenBlock[]> {
  const source = firstSource(service.rpc);
  const proven: ProvenBlock[] = [];
  for (let i = 0; i < blocks.length; i += PROVEN_AT_ONCE) {
    const some = blocks.slice(i, i + PROVEN_AT_ONCE).map(async ({ number, hash }) => {
      const [header] = await readHeaders(source.client, number, number);
      if (header?.hash !== hash) throw new Error(`The node has another block ${number} than before. Try again.`);
      return provenBlock(service, source, header);
    });
    proven.push(...(await Promise.all(some)));
  }
  return proven;
}

async function provenBlock(
  service: Deps,
  source: EndpointClient,
  said: BlockHeader,
): Promise<ProvenBlock & Pick<VouchedHeader, 'parentHash'>> {
  const vouched = vouchForBlock(service, source, said);
  const { header, logs } = await notingProof(service, said.number, vouched);
  const { number, hash, parentHash, minedAt } = header;
  return { number, hash, parentHash, at: minedAt, logs };
}

/**
 * Makes the ledger's copy of these blocks equal to them, in the caller's transaction: removes false postings and adds missing ones, opens
 * again the transfers that the blocks did not settle and settles those that they did, with their requests, holds and rewards. Only who
 * holds the follower's lock may call it. `corrections`: further changes of the accounts.
 *
 * `anchor`: the block of {@link findFaultyBlocks}, on which the blocks rest. Throws if the ledger does not have it any more.
 */
export async function repairBlocks(
  tx: Tx,
  settings: Engine['settings'],
  anchor: PostedBlock,
  blocks: readonly ProvenBlock[],
  corrections: BalanceChanges,
): Promise<BlockFaults[]> {
  await requirePosted(tx, anchor);
  await holdMonths(tx);
  const faults: BlockFaults[] = [];
  // In the meantime the follower may have settled some.
  for (const block of blocks) {
    const found = await compareBlock(tx, block, block.logs);
    if (found) faults.push(found);
  }
  const reopened = await reopenTransfers(
    tx,
    faults.flatMap(({ falselySettled }) => falselySettled.map(({ id }) => id)),
  );
  // Their nonces look used, so nobody would look whether they are.
  if (reopened.length > 0) await reopenNoncesAbove(tx, faults[0]!.number - 1n);
  await takeBackTransfers(tx, reopened, corrections);
  for (const { number, falsePostings } of faults) {
    await removePostings(
      tx,
      number,
      falsePostings.map(({ logIndex }) => logIndex),
    );
    for (const posting of falsePostings) corrections.addPosting(posting, -1n);
  }
  for (const block of blocks) {
    const postings = await readPostingsOf(tx, block.number);
    // An archived posting is in another table, where no index finds that it is stored already.
    const posted = new Set(postings.map(({ logIndex }) => logIndex));
    const logs = placedAsPosted(postings, block.logs).filter(
      ({ kind, logIndex }) => kind !== 'transfer' || !posted.has(logIndex),
    );
    await creditLogs(tx, settings, block, logs, corrections);
  }
  await applyChanges(tx, corrections);
  tx.announce('transactions');
  return faults;
}

async function requirePosted(tx: Tx, anchor: PostedBlock): Promise<void> {
  const cursor = await readCursor(tx);
  const [kept] = await readPostedBlocks(tx, anchor.number, 1);
  // Blocks that no reorganisation reaches are forgotten after a while.
  const isGone = kept?.number === anchor.number && kept.hash !== anchor.hash;
  if (!cursor || cursor.number < anchor.number || isGone) {
    throw new Error('The chain was reorganised in the meantime. Nothing was changed: try again.');
  }
}
