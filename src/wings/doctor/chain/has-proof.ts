import { proveHeader, readHeader } from '../../../chain/blocks.ts';
import { proveReceipts } from '../../../chain/receipts.ts';
import type { Rpc } from '../../../chain/rpc.ts';

/** How many of the newest blocks are tried, up to one with transactions. */
const SEARCHED = 4n;

/** Whether the newest blocks of this endpoint prove their receipts. */
export async function hasProof(client: Rpc): Promise<boolean> {
  try {
    const newest = (await readHeader(client, 'latest'))!;
    const { number } = proveHeader(newest);
    for (let searched = 0n; searched < SEARCHED && searched <= number; searched++) {
      const header = proveHeader(searched === 0n ? newest : (await readHeader(client, number - searched))!);
      // Of an empty block too, because it shows whether the node gives receipts at all.
      const receipts = await proveReceipts(client, header);
      if (receipts.length > 0) return true;
    }
    return true;
  } catch {
    return false;
  }
}
