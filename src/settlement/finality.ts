import { type BlockHeader, readHeader } from '../chain/blocks.ts';
import { type Rpc, RpcUnreachable } from '../chain/rpc.ts';
import { readPostedBlocks } from '../ledger/blocks.ts';
import type { Service } from '../service/service.ts';
import type { Engine } from './engine.ts';

/** For chains that do not say what is final: two epochs of Ethereum. */
const USUAL_DEPTH = 64;
/** A chain calls blocks final in steps of seconds or minutes. */
const READ_EVERY_MS = 12_000;

/**
 * The newest block, at or below `newest`, that no reorganisation should reach any more; negative if there is none. By
 * `FINAL_AFTER`: a depth, or what the chain itself calls final, as last read.
 */
export function finalBlock(
  { settings, settlement }: Pick<Service, 'settings'> & { readonly settlement: Pick<Service['settlement'], 'final'> },
  newest: bigint,
): bigint {
  if (settings.finalAfter !== 'auto') return newest - BigInt(settings.finalAfter);
  const { number } = settlement.final;
  if (number === null) return newest - BigInt(USUAL_DEPTH);
  return number < newest ? number : newest;
}

/**
 * The same for what cannot be undone; null if it is not known yet: before a node was asked, the usual depth may be less than what the chain
 * needs.
 */
export function knownFinalBlock(service: Parameters<typeof finalBlock>[0], newest: bigint): bigint | null {
  const { settings, settlement } = service;
  return settings.finalAfter === 'auto' && !settlement.final.isAsked ? null : finalBlock(service, newest);
}

/**
 * Reads which block the node calls final, if `FINAL_AFTER` is `auto` and some seconds have passed. `head`: the newest
 * block of that node. What the node cannot know, or what contradicts the ledger or an earlier answer, is not believed.
 */
export async function refreshFinality(service: Engine, rpc: Rpc, head: bigint): Promise<void> {
  const { settings, settlement, db } = service;
  const now = performance.now();
  if (settings.finalAfter !== 'auto' || now - settlement.final.readAt < READ_EVERY_MS) return;
  settlement.final.readAt = now;
  await forgetRewoundFinality(service, head);
  const said = await readFinalised(rpc, head);
  if (said !== null) {
    const [ours] = await readPostedBlocks(db, said.number, 1);
    if (ours?.number === said.number && ours.hash !== said.hash) return;
  }
  settlement.final.isAsked = true;
  if (said === null) return;
  if (said.number <= (settlement.final.number ?? 0n)) return;
  settlement.final.number = said.number;
  settlement.final.hash = said.hash;
}

/**
 * Another process may have rewound the ledger below what was final, which then has another block there, or none. In the second case the
 * chain has to be shorter too, because the ledger may only be behind it.
 */
async function forgetRewoundFinality({ settlement: { final }, db }: Engine, head: bigint): Promise<void> {
  if (final.number === null) return;
  const [ours] = await readPostedBlocks(db, final.number, 1);
  const isGone = ours?.number === final.number ? ours.hash !== final.hash : final.number > head;
  if (isGone) forgetFinality({ final });
}

/** The chain has taken back what it called final, so it is asked again. */
export function forgetFinality({ final }: Pick<Engine['settlement'], 'final'>): void {
  final.number = null;
  final.isAsked = false;
}

/** For a command, which does not follow the chain: reads it from the node that it asks. Throws if no node answers. */
export async function learnFinality(service: Engine): Promise<void> {
  const { settings, settlement, rpc } = service;
  if (settings.finalAfter !== 'auto' || settlement.final.number !== null) return;
  const head = await readHeader(rpc, 'latest');
  if (head) await refreshFinality(service, rpc, head.number);
}

/**
 * The block that the node calls final; null if it does not say so sensibly. Chains without finality answer with an
 * error, with nothing, or with their first block.
 */
export async function readFinalised(rpc: Rpc, head: bigint): Promise<BlockHeader | null> {
  const header = await readHeader(rpc, 'finalized').catch((error: Error) => {
    if (error instanceof RpcUnreachable) throw error;
    return null;
  });
  return header && header.number > 0n && header.number <= head ? header : null;
}

/** The depth below which a new installation need not look for its own deployment. */
export async function depthAtStart(
  { settings, rpc }: Pick<Service, 'settings' | 'rpc'>,
  head: bigint,
): Promise<number> {
  if (settings.finalAfter !== 'auto') return settings.finalAfter;
  const final = await readFinalised(rpc, head);
  return final ? Math.max(USUAL_DEPTH, Number(head - final.number)) : USUAL_DEPTH;
}
