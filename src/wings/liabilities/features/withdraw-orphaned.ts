import { readPostedBlocks, waitForFollowing } from '../../../ledger/blocks.ts';
import type { Service } from '../../../service/service.ts';
import { listPublications, withdrawPublicationsAbove } from '../store/publications.ts';

/** Older blocks than those of so many publications are final. */
const NEWEST = 16;

/**
 * Withdraws the publications whose block the ledger has no longer. Following does so as it rewinds, unless this wing was left out then. Returns
 * whether there was one.
 */
export async function withdrawOrphaned({ db, log }: Pick<Service, 'db' | 'log'>): Promise<boolean> {
  const withdrawn = await db.transaction(async (tx) => {
    await waitForFollowing(tx);
    const standing = (await listPublications(tx, NEWEST)).filter(({ withdrawnAt }) => !withdrawnAt);
    const orphaned: bigint[] = [];
    for (const { block, blockHash } of standing) {
      const [posted] = await readPostedBlocks(tx, block, 1);
      if (posted?.number === block && posted.hash !== blockHash) orphaned.push(block);
    }
    const lowest = orphaned.at(-1);
    return lowest === undefined ? [] : withdrawPublicationsAbove(tx, lowest - 1n);
  });
  if (withdrawn.length === 0) return false;
  log.error(
    { blocks: withdrawn.map(Number) },
    'published proofs of liabilities of blocks that are gone were withdrawn',
  );
  return true;
}
