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

/** Nodes limit how many blocks, or how many logs, one call may ask for, each in its own way and size. */
const BLOCKS_AT_ONCE = 2_000n;

/**
 * What blocks `first` to `last` show as used or cancelled, a range of blocks at a time. A range may mix two forks or miss a block:
 * this is for suspicions, and nothing is posted by it. Throws where the node does not even answer for one block.
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
      // Only an answer says that it was too much; who does not answer is asked again another time.
      if (from === to || error instanceof RpcUnreachable) throw error;
      most = (to - from + 1n) / 2n;
    }
  }
}
