import { Problem } from '../base/problems.ts';
import { traced } from '../base/spans.ts';
import { type BlockHeader, readHeader, readHeaders } from '../chain/blocks.ts';
import { pinned, type Rpc, RpcUnreachable } from '../chain/rpc.ts';
import type { TokenLog } from '../chain/token-logs.ts';
import { type PostedBlock, readCursor } from '../ledger/blocks.ts';
import type { Service } from '../service/service.ts';
import { isForeign, updateChainHead } from './attach.ts';
import { leaveEndpoint, surveyEndpoints, surveySoon } from './endpoints.ts';
import type { Engine } from './engine.ts';
import { refreshFinality } from './finality.ts';
import { postEmptyBlocks, postLogs } from './post.ts';
import { rewindLedger } from './rewind.ts';
import { compareWithCursor } from './standing.ts';
import { readVouchedLogs } from './vouch.ts';

/**
 * Logs posted in one transaction. Between two of them, calls go on that wait for this process or for the row of a busy account.
 */
export const CHUNK = 200;
/** So many at a time of a full block, of one that takes long, and if blocks wait behind it: then the rate matters more than a call's wait. */
const LARGE_CHUNK = 800;
const FULL_BLOCK = 6_000;
const LONG_MS = 500;
/** Blocks followed in one round, before other work gets its turn. */
const BLOCKS_PER_ROUND = 64n;

/**
 * Follows the chain once: posts blocks that have become confirmed (depth `COMPLETE_AFTER`), or rewinds orphaned ones.
 *
 * Returns true if there may be more to do at once. Throws if the node or the database cannot be reached. Nothing is
 * left half done then, because each chunk of logs is committed together with the cursor.
 */
export async function followChain(service: Engine): Promise<boolean> {
  const { db, settings, chain } = service;
  // A header and its logs, and the headers among each other, come from one node.
  const rpc = pinned(service.rpc);
  const asked = service.rpc.endpoints?.first();
  /** Another endpoint may have what this one refuses to give, or does not have any more. */
  const reading = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: Error) => {
      if (!(error instanceof RpcUnreachable)) leaveEndpoint(service, asked, error.message);
      throw error;
    });
  const head = await readHeader(rpc, 'latest');
  if (!head) throw new Problem('chain-unavailable', 'The chain node has no blocks.');
  updateChainHead(service, head);

  const cursor = await readCursor(db);
  if (cursor && (await isOrphaned({ rpc, db }, cursor, head))) {
    // Another endpoint may still have the block. It is followed from the next round on.
    if ((await surveyEndpoints(service)) === 'stay') return false;
    const winner = { ...service, rpc: pinned(service.rpc) };
    if (await isForeign(winner)) return false;
    return rewindLedger(winner, cursor);
  }
  if (cursor && head.number < cursor.number) await surveySoon(service);
  await refreshFinality(service, rpc, head.number);
  const confirmed = head.number - BigInt(settings.completeAfter - 1);
  const first = !cursor ? chain.startBlock : cursor.complete ? cursor.number + 1n : cursor.number;
  const last = confirmed < first + BLOCKS_PER_ROUND ? confirmed : first + BLOCKS_PER_ROUND - 1n;

  const headers = await reading(readConfirmed(rpc, first, last, head));
  let parent: Pick<PostedBlock, 'hash'> | null = cursor?.complete ? cursor : null;
  let empty: BlockHeader[] = [];
  for (const header of headers) {
    // The chain changed while we read it. The next round sees the reorganisation.
    if (parent && header.parentHash !== parent.hash) {
      return (await postEmptyBlocks(service, empty)) && header.number > first;
    }
    parent = header;
    const isBegun = header.number === cursor?.number;
    let logs: TokenLog[];
    try {
      logs = await readVouchedLogs(service, rpc, header);
    } catch (error) {
      if (header.number === first) throw error;
      // What came before is certain. The node answers a number of calls and then refuses: it is followed at its own pace, without back-off
      // while blocks come.
      await postEmptyBlocks(service, empty);
      return false;
    }
    if (!isBegun && logs.length === 0) {
      empty.push(header);
      continue;
    }
    if (!(await postEmptyBlocks(service, empty))) return false;
    empty = [];
    const from = isBegun ? cursor.nextLogIndex : 0;
    const rest = logs.filter(({ logIndex }) => logIndex >= from);
    if (!(await postBlock(service, header, rest, header.number < confirmed))) return false;
    // Mined transactions make room in the in-flight window.
    db.announce('transactions');
  }
  if (!(await postEmptyBlocks(service, empty))) return false;
  return headers.length > 0 && confirmed > headers.at(-1)!.number;
}

/**
 * The consecutive headers from `first` to `last` at most; none if there is nothing to read. They are read in one
 * request, because blocks may come faster than a busy machine or a distant node answers single calls.
 */
async function readConfirmed(rpc: Rpc, first: bigint, last: bigint, head: BlockHeader): Promise<BlockHeader[]> {
  if (first > last) return [];
  if (first === head.number) return [head];
  const headers = await readHeaders(rpc, first, last);
  if (headers.length > 0) return headers;
  // A single call is retried if no answer came, and its error says what is wrong.
  const header = await readHeader(rpc, first);
  return header ? [header] : [];
}

/** Whether the block at the cursor has left the chain. */
async function isOrphaned(
  { rpc, db }: Pick<Service, 'rpc' | 'db'>,
  cursor: PostedBlock,
  head: BlockHeader,
): Promise<boolean> {
  const hashAt = async (height: bigint) => (await readHeader(rpc, height))?.hash ?? null;
  return (await compareWithCursor({ db }, cursor, head, hashAt)) === 'contradicts';
}

/** Posts a block's logs in chunks. `isLate`: more blocks are confirmed. Returns null if another process is following. */
async function postBlock(
  service: Service,
  header: BlockHeader,
  logs: readonly TokenLog[],
  isLate: boolean,
): Promise<PostedBlock | null> {
  const began = performance.now();
  let posted: PostedBlock;
  let start = 0;
  do {
    const isUrgent = isLate || logs.length > FULL_BLOCK || performance.now() - began > LONG_MS;
    const most = isUrgent ? LARGE_CHUNK : CHUNK;
    // Never cut between AuthorizationUsed, which releases the hold, and the Transfer after it, which takes the
    // quarters: in between they would be free to spend again.
    const end = start + (logs[start + most - 1]?.kind === 'used' ? most + 1 : most);
    const chunk = logs.slice(start, end);
    start = end;
    posted = {
      number: header.number,
      hash: header.hash,
      parentHash: header.parentHash,
      nextLogIndex: (chunk.at(-1)?.logIndex ?? -1) + 1,
      complete: start >= logs.length,
    };
    const attributes = { 'quarters.block': Number(header.number), 'quarters.logs': chunk.length };
    if (!(await traced('post logs', { attributes }, () => postLogs(service, posted, chunk)))) return null;
  } while (!posted.complete);
  return posted;
}
