import type { Rpc } from '../../../src/chain/rpc.ts';

type Block = { readonly transactions: readonly string[] };

/**
 * Replaces the blocks from the oldest of these transactions on by as many without them. All others are in them as before, unless they are
 * of the same sender and come after one that is left out. The caller lets no block be made meanwhile.
 */
export async function leaveOut(rpc: Rpc, hashes: ReadonlySet<string>): Promise<void> {
  const receipts = await Promise.all(
    [...hashes].map((hash) => rpc.call<{ blockNumber: string } | null>('eth_getTransactionReceipt', [hash])),
  );
  const first = Math.min(...receipts.flatMap((receipt) => (receipt ? [Number(receipt.blockNumber)] : [])));
  const head = Number(await rpc.call<string>('eth_blockNumber', []));
  if (first > head) return;
  const kept: [raw: string, block: number][] = [];
  const gone = new Set<string>();
  for (let number = first; number <= head; number++) {
    const { transactions } = await rpc.call<Block>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    for (const hash of transactions) {
      const { from } = await rpc.call<{ from: string }>('eth_getTransactionByHash', [hash]);
      if (hashes.has(hash)) gone.add(from);
      if (gone.has(from)) continue;
      kept.push([await rpc.call<string>('eth_getRawTransactionByHash', [hash]), number - first]);
    }
  }
  await rpc.call('anvil_reorg', [head - first + 1, kept]);
}
