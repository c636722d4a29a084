import { Problem } from '../base/problems.ts';
import { traced } from '../base/spans.ts';
import { Unproven } from '../chain/block-proof.ts';
import type { TokenLog } from '../chain/block-replies.ts';
import { type BlockHeader, proveHeader, readHeader, readHeaders, type VouchedHeader } from '../chain/blocks.ts';
import { type EndpointClient, pinned, type Rpc } from '../chain/rpc.ts';
import { type PostedBlock, readCursor } from '../ledger/blocks.ts';
import { readPostingsOf } from '../ledger/postings.ts';
import type { Service } from '../service/service.ts';
import { requireItself } from './agreement.ts';
import { isForeign, updateChainHead } from './attach.ts';
import { blaming, firstSource } from './blame.ts';
import type { Engine } from './engine.ts';
import { refreshFinality } from './finality.ts';
import { restOfBlock } from './log-places.ts';
import { postEmptyBlocks, postLogs } from './post.ts';
import { rewindLedger } from './rewind.ts';
import { compareWithCursor } from './standing.ts';
import { surveyEndpoints, surveySoon } from './survey-chain-endpoints.ts';
import { notingProof, type VouchedBlock, vouchForBlock, whileProven } from './vouch.ts';

/**
 * Logs posted in one transaction. Between two of them, calls go on that wait for this process or for the row of a busy account.
 */
export const CHUNK = 300;
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
  const source = firstSource(service.rpc);
  const rpc = source.client;
  /** Another endpoint may have what this one refuses to give, or does not have any more, or says falsely. */
  const reading = <T>(read: () => T | Promise<T>): Promise<T> => blaming(service, source.endpoint, read);
  const head = await reading(() => readHeader(rpc, 'latest'));
  if (!head) throw new Problem('chain-unavailable', 'The chain node has no blocks.');
  if (service.readiness.proof === 'receipts')
    await whileProven(service, head.number, () => reading(() => proveHeader(head)));
  updateChainHead(service, head);

  const cursor = await readCursor(db);
  if (cursor && (await isOrphaned(service, source, cursor, head))) {
    // Another endpoint may still have the block. It is followed from the next round on.
    if ((await surveyEndpoints(service)) === 'stay') return false;
    if (await isForeign({ ...service, rpc: pinned(service.rpc) })) return false;
    return whileProven(service, cursor.number, () => rewindLedger(service, cursor));
  }
  if (cursor && head.number < cursor.number) await surveySoon(service);
  await refreshFinality(service, rpc, head.number);
  const confirmed = head.number - BigInt(settings.completeAfter - 1);
  const first = !cursor ? chain.startBlock : cursor.complete ? cursor.number + 1n : cursor.number;
  const last = confirmed < first + BLOCKS_PER_ROUND ? confirmed : first + BLOCKS_PER_ROUND - 1n;

  const headers = await whileProven(service, first, () => reading(() => readConfirmed(rpc, first, last, head)));
  // Nothing is left that somebody would have to vouch for.
  if (first > last) service.readiness.unproven = null;
  const isDone = await postBlocks(service, source, { headers, cursor, confirmed });
  return isDone ?? (headers.length > 0 && confirmed > headers.at(-1)!.number);
}

type Confirmed = {
  readonly headers: readonly BlockHeader[];
  readonly cursor: PostedBlock | null;
  /** The newest block that is deep enough. */
  readonly confirmed: bigint;
};

/**
 * Posts these blocks, which are consecutive, as soon as somebody vouches for them. Returns null if all are posted; otherwise whether there
 * may be more to do at once.
 */
async function postBlocks(
  service: Engine,
  source: EndpointClient,
  { headers, cursor, confirmed }: Confirmed,
): Promise<boolean | null> {
  let parent: Pick<PostedBlock, 'number' | 'hash'> | null = cursor?.complete ? cursor : null;
  let empty: VouchedHeader[] = [];
  for await (const { number, vouched } of vouchingAhead(service, source, headers)) {
    const isFirst = number === headers[0]!.number;
    const isBegun = number === cursor?.number;
    let block: VouchedBlock;
    try {
      block = await notingProof(service, number, vouched);
      if (isFirst && parent) await requireAbove(service, source, block.header, parent);
    } catch (error) {
      if (isFirst) throw error;
      // What came before is certain. The node answers a number of calls and then refuses: it is followed at its own pace, without back-off
      // while blocks come.
      await postEmptyBlocks(service, empty);
      return false;
    }
    const { header, logs } = block;
    // The chain changed while we read it. The next round sees the reorganisation.
    if (parent && header.parentHash !== parent.hash) return (await postEmptyBlocks(service, empty)) && !isFirst;
    parent = header;
    if (!isBegun && logs.length === 0) {
      empty.push(header);
      continue;
    }
    if (!(await postEmptyBlocks(service, empty))) return false;
    empty = [];
    const rest = isBegun ? restOfBlock(cursor, await readPostingsOf(service.db, number), logs) : logs;
    if (!(await postBlock(service, header, rest, number < confirmed))) return false;
    // Mined transactions make room in the in-flight window.
    service.db.announce('transactions');
  }
  return (await postEmptyBlocks(service, empty)) ? null : false;
}

/** Where endpoints have to agree, each block takes several calls. So many blocks are asked for at once. */
const AHEAD = 8;

/** What vouches for each block, in their order. */
async function* vouchingAhead(service: Engine, source: EndpointClient, headers: readonly BlockHeader[]) {
  const { proof, proven } = service.readiness;
  const ahead = proof === 'agreement' || proven.less ? AHEAD : 1;
  const asked: { readonly number: bigint; readonly vouched: Promise<VouchedBlock> }[] = [];
  for (const [i, { number }] of headers.entries()) {
    for (let k = asked.length; k < headers.length && k < i + ahead; k++) {
      const vouched = vouchForBlock(service, source, headers[k]!);
      // It is awaited later, or not at all.
      vouched.catch(() => {});
      asked.push({ number: headers[k]!.number, vouched });
    }
    yield { number, vouched: asked[i]!.vouched };
  }
}

/** Throws {@link Unproven} if a block names another parent, and the node has both blocks all the same. */
async function requireAbove(
  service: Engine,
  source: EndpointClient,
  block: VouchedHeader,
  parent: Pick<PostedBlock, 'number' | 'hash'>,
): Promise<void> {
  if (block.parentHash === parent.hash) return;
  const [below, again] = await Promise.all([parent, block].map(({ number }) => readHeader(source.client, number)));
  if (below?.hash !== parent.hash || again?.hash !== block.hash) return;
  const contradicting = () => {
    throw new Unproven(`block ${block.number} does not name the block below it as its parent`);
  };
  await whileProven(service, block.number, () => blaming(service, source.endpoint, contradicting));
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

/** Whether the block at the cursor has left the chain. Throws {@link Unproven} if a header that says so does not have its hash. */
async function isOrphaned(
  service: Engine,
  { endpoint, client }: EndpointClient,
  cursor: PostedBlock,
  head: BlockHeader,
): Promise<boolean> {
  const proven = <T>(read: () => Promise<T>) =>
    whileProven(service, head.number, () => blaming(service, endpoint, read));
  const read = [head];
  const hashAt = async (height: bigint) => {
    const header = await proven(() => readHeader(client, height));
    if (header) read.push(header);
    return header?.hash ?? null;
  };
  if ((await compareWithCursor(service, cursor, head, hashAt)) !== 'contradicts') return false;
  for (const header of read) await proven(() => requireItself(service.readiness, client, header));
  return true;
}

/** Posts a block's logs in chunks. `isLate`: more blocks are confirmed. Returns null if another process is following. */
async function postBlock(
  service: Service,
  header: VouchedHeader,
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
