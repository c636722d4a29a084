import type { TokenLog } from '../chain/block-replies.ts';
import type { PostedBlock } from '../ledger/blocks.ts';
import type { Posting } from '../ledger/postings.ts';

type Posted = readonly Pick<Posting, 'logIndex' | 'from' | 'to' | 'amount'>[];

/**
 * A block's logs at the places at which the ledger has them. Proven ones are counted among the receipts that the root covers, those of an
 * agreement are where the node says: a block may be posted the one way, and read again the other. `posted`: all that the ledger has of the
 * block, in order. If these are not the first transfers of the block, the logs stay as they are.
 */
export function placedAsPosted(posted: Posted, logs: readonly TokenLog[]): readonly TokenLog[] {
  return placed(posted, logs)?.logs ?? logs;
}

/** What is not posted yet of a block that is posted in part. Cancellations after the last posted transfer come once more, which does nothing. */
export function restOfBlock(
  { nextLogIndex }: Pick<PostedBlock, 'nextLogIndex'>,
  posted: Posted,
  logs: readonly TokenLog[],
): readonly TokenLog[] {
  const same = placed(posted, logs);
  return same ? same.logs.slice(same.end) : logs.filter(({ logIndex }) => logIndex >= nextLogIndex);
}

/** `end`: how many of the logs come up to the last posted transfer. Null if the ledger has other ones. */
function placed(
  posted: Posted,
  logs: readonly TokenLog[],
): { readonly logs: readonly TokenLog[]; readonly end: number } | null {
  let [found, end, shift] = [0, 0, 0];
  const moved: TokenLog[] = [];
  for (const log of logs) {
    const known = posted[found];
    if (known && log.kind === 'transfer') {
      if (log.from !== known.from || log.to !== known.to || log.amount !== known.amount) return null;
      shift = known.logIndex - log.logIndex;
      found++;
      end = moved.length + 1;
    }
    moved.push(shift === 0 ? log : { ...log, logIndex: log.logIndex + shift });
  }
  return found === posted.length ? { logs: moved, end } : null;
}
