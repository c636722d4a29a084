import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import { CANCELED, parseLog, type RawLog, USED } from './blocks.ts';
import { type Rpc, RpcUnreachable, toQuantity } from './rpc.ts';

/** An authorization that a block shows as used or cancelled. */
export type ShownAuthorization = {
  readonly kind: 'used' | 'canceled';
  readonly authorizer: Address;
  readonly nonce: Hash;
  readonly txHash: Hash;
  readonly block: bigint;
};

/** Each node has its own limit on the blocks, or the logs, of one call. */
const BLOCKS_AT_ONCE = 2_000n;

/**
 * Authorizations that blocks `first` to `last` show as used or cancelled, one range of blocks at a time. A range may
 * mix two forks or miss a block, so this raises suspicions only, and nothing is posted from it. Throws if the node does
 * not answer even for a single block.
 */
export async function* readShownAuthorizations(
  rpc: Rpc,
  token: Address,
  first: bigint,
  last: bigint,
): AsyncGenerator<ShownAuthorization[]> {
  let most = BLOCKS_AT_ONCE;
  for (let from = first; from <= last; ) {
    const to = from + most - 1n < last ? from + most - 1n : last;
    try {
      const filter = {
        fromBlock: toQuantity(from),
        toBlock: toQuantity(to),
        address: token,
        topics: [[USED, CANCELED]],
      };
      const logs = await rpc.call<(RawLog & { blockNumber: string })[]>('eth_getLogs', [filter]);
      yield logs.flatMap((raw) => {
        const log = parseLog(raw);
        return log.kind === 'transfer' ? [] : [{ ...log, block: BigInt(raw.blockNumber) }];
      });
      from = to + 1n;
    } catch (error) {
      // Only an answer can mean that the range was too large; a node that does not answer is asked again later.
      if (from === to || error instanceof RpcUnreachable) throw error;
      most = (to - from + 1n) / 2n;
    }
  }
}
