import { Problem } from '../../base/problems.ts';
import {
  type BlockHeader,
  mayHoldTokenLogs,
  readHeader,
  readHeaders,
  readTokenLogs,
  type TokenLog,
} from '../../chain/blocks.ts';
import { newestPosting, type PostedBlock, readCursor, readPostedBlocks } from '../../ledger/blocks.ts';
import type { Service } from '../service.ts';
import { isForeign } from './attach-chain.ts';
import { noteHead } from './note-head.ts';
import { postEmptyBlocks, postLogs } from './post-logs.ts';
import { rewindLedger } from './rewind-ledger.ts';

/** Logs posted in one transaction: a hot account's row stays locked for milliseconds, however full a block is. */
const CHUNK = 400;
/** Blocks followed before others get a turn. */
const BLOCKS_PER_ROUND = 64n;

/**
 * One look at the chain: posts what has become confirmed (depth `COMPLETE_AFTER`), or takes back what was orphaned.
 *
 * Returns true where there may be more to do at once. Throws where the node or the database can not be reached; nothing is
 * half done then, since each chunk of logs is committed together with the cursor.
 */
export async function followChain(service: Service): Promise<boolean> {
  const { rpc, db, settings, chain } = service;
  const head = await readHeader(rpc, 'latest');
  if (!head) throw new Problem('chain-unavailable', 'The chain node has no blocks.');
  noteHead(service, head);

  const cursor = await readCursor(db);
  if (cursor && (await isOrphaned(service, cursor, head))) {
    if (await isForeign(service)) return false;
    return rewindLedger(service, cursor);
  }
  const confirmed = head.number - BigInt(settings.completeAfter - 1);
  const first = !cursor ? chain.startBlock : cursor.complete ? cursor.number + 1n : cursor.number;
  const last = confirmed < first + BLOCKS_PER_ROUND ? confirmed : first + BLOCKS_PER_ROUND - 1n;

  const headers = await readConfirmed(service, first, last, head);
  let parent: Pick<PostedBlock, 'hash'> | null = cursor?.complete ? cursor : null;
  let empty: BlockHeader[] = [];
  for (const header of headers) {
    // A block that does not continue ours shows at the next look: the chain changed under our hands.
    if (parent && header.parentHash !== parent.hash) {
      return (await postEmptyBlocks(service, empty)) && header.number > first;
    }
    parent = header;
    const isBegun = header.number === cursor?.number;
    if (!isBegun && !mayHoldTokenLogs(header, chain.contracts.token)) {
      empty.push(header);
      continue;
    }
    try {
      if (!(await postEmptyBlocks(service, empty))) return false;
      empty = [];
      if (!(await postBlock(service, header, isBegun ? cursor.nextLogIndex : 0))) return false;
    } catch (error) {
      // A node that answers so many calls and then refuses is followed at its own pace: no growing back-off while blocks come.
      if (header.number === first) throw error;
      return false;
    }
    // What was mined makes room in the in-flight window.
    db.announce('transactions');
  }
  if (!(await postEmptyBlocks(service, empty))) return false;
  return headers.length > 0 && confirmed > headers.at(-1)!.number;
}

/**
 * The headers from `first` to `last` at most, in a row; none where there is nothing to read. In one request, as blocks may come
 * faster than a busy machine, or a distant node, answers one question each.
 */
async function readConfirmed({ rpc }: Service, first: bigint, last: bigint, head: BlockHeader): Promise<BlockHeader[]> {
  if (first > last) return [];
  if (first === head.number) return [head];
  const headers = await readHeaders(rpc, first, last);
  if (headers.length > 0) return headers;
  // By itself the call is made again where no answer came, and says what is wrong.
  const header = await readHeader(rpc, first);
  return header ? [header] : [];
}

/**
 * Whether the block at the cursor, or where the chain is shorter than that, our block at its head, is not the chain's any
 * more. A short chain alone proves nothing: the node may only lag behind.
 */
async function isOrphaned({ rpc, db }: Service, cursor: PostedBlock, head: BlockHeader): Promise<boolean> {
  if (head.number < cursor.number) {
    const [ours] = await readPostedBlocks(db, head.number, 1);
    if (ours) return ours.number === head.number && ours.hash !== head.hash;
    // Older than the blocks that are kept: the postings, which are kept for ever, know their blocks too.
    const posted = await newestPosting(db, head.number);
    const onChain = posted && (posted.number === head.number ? head : await readHeader(rpc, posted.number));
    return posted !== null && onChain !== null && onChain.hash !== posted.hash;
  }
  const onChain = head.number === cursor.number ? head : await readHeader(rpc, cursor.number);
  return onChain !== null && onChain.hash !== cursor.hash;
}

/** Posts a block's logs in chunks. Null where another process is following. */
async function postBlock(service: Service, header: BlockHeader, fromLogIndex: number): Promise<PostedBlock | null> {
  const logs = (await readTokenLogs(service.rpc, header, service.chain.contracts.token)).filter(
    (log) => log.logIndex >= fromLogIndex,
  );
  let posted: PostedBlock;
  let start = 0;
  do {
    // Never between AuthorizationUsed, which releases the hold, and the Transfer behind it, which takes the quarters: in
    // between they would be free to spend again.
    const end = start + (logs[start + CHUNK - 1]?.kind === 'used' ? CHUNK + 1 : CHUNK);
    const chunk: TokenLog[] = logs.slice(start, end);
    start = end;
    posted = {
      number: header.number,
      hash: header.hash,
      parentHash: header.parentHash,
      nextLogIndex: (chunk.at(-1)?.logIndex ?? -1) + 1,
      complete: start >= logs.length,
    };
    if (!(await postLogs(service, posted, chunk))) return null;
  } while (!posted.complete);
  return posted;
}
