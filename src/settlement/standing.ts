import type { Hash } from '../base/hex.ts';
import { newestPosting, type PostedBlock, readPostedBlocks } from '../ledger/blocks.ts';
import type { Service } from '../service/service.ts';

/** Whether a chain has the block at the cursor, none there yet (`lacks`), or another one. */
export type StandingKind = 'has' | 'lacks' | 'contradicts';

/**
 * Compares a chain with the block at the cursor. If the chain is shorter, our block at its head is compared instead. A
 * short chain alone proves nothing, because the node may only lag behind.
 *
 * `hashAt`: the hash of the chain's block at a height below `head`; null if it does not have one.
 */
export async function compareWithCursor(
  { db }: Pick<Service, 'db'>,
  cursor: PostedBlock,
  head: { readonly number: bigint; readonly hash: Hash },
  hashAt: (height: bigint) => Promise<Hash | null>,
): Promise<StandingKind> {
  const theirsAt = async (height: bigint) => (height === head.number ? head.hash : hashAt(height));
  if (head.number >= cursor.number) {
    const theirs = await theirsAt(cursor.number);
    if (theirs === null) return 'lacks';
    return theirs === cursor.hash ? 'has' : 'contradicts';
  }
  const [kept] = await readPostedBlocks(db, head.number, 1);
  if (kept && kept.number !== head.number) return 'lacks';
  // If the head is older than the blocks that are kept: postings are kept for ever and also name their blocks.
  const ours = kept ?? (await newestPosting(db, head.number));
  if (!ours) return 'lacks';
  const theirs = await theirsAt(ours.number);
  return theirs !== null && theirs !== ours.hash ? 'contradicts' : 'lacks';
}
