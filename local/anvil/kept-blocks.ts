import type { Rpc } from '../../src/chain/rpc.ts';

/** Of how many of its newest blocks the node keeps the transactions (with receipts and logs), and the states. */
export type Keeping = { readonly transactions: number; readonly states: number };

/** Bounds how far the chain is ahead of the service. */
export type Lead = {
  /** Names the function that reads the newest block whose logs are posted; null before the first one. */
  followedBy(readPosted: () => Promise<bigint | null>): void;
  /** False while the service has to catch up. */
  mayMine(): Promise<boolean>;
  /** Whether the service has posted all that is deep enough. */
  isFollowed(): Promise<boolean>;
  onMined(transactions: number): void;
  /** About how many transactions the node keeps. */
  transactions(): number;
};

// Each kept transaction takes 8 kB of the node's memory, 5 kB of a saved state and 75 µs of each saving. Each kept state
// is a copy of the whole storage.
const BLOCKS_BEYOND_DEPTH = 9;
const LEAD_BEYOND_DEPTH = 5;
// Nonces are read at up to 32 blocks before the confirmed one, and an audit reads at one block for its whole duration.
const STATES_BEYOND_DEPTH = 63;

/** What a service needs that counts blocks at `depth`. */
export function keepingFor(depth: number): Keeping {
  return { transactions: depth + BLOCKS_BEYOND_DEPTH, states: depth + STATES_BEYOND_DEPTH };
}

/**
 * The logs of a block that is no longer kept could never be posted, so no block is made while the service is too far
 * behind: a chain of ours can wait. Before {@link Lead.followedBy} it does not.
 */
export function boundLead(rpc: Rpc, depth: number): Lead {
  const most = depth + LEAD_BEYOND_DEPTH;
  const kept = keepingFor(depth).transactions;
  let readPosted: (() => Promise<bigint | null>) | undefined;
  // The service is asked only when it may be too far behind, by the blocks made since.
  let lead = most;
  const counts: number[] = [];
  const isWithin = async (blocks: number) => {
    if (!readPosted) return true;
    const [head, posted] = await Promise.all([rpc.call<string>('eth_blockNumber', []), readPosted()]);
    if (posted === null) return true;
    lead = Number(BigInt(head) - posted);
    return lead < blocks;
  };
  return {
    followedBy(read) {
      readPosted = read;
    },
    mayMine: async () => lead < most || isWithin(most),
    isFollowed: () => isWithin(depth),
    onMined(transactions) {
      lead++;
      counts.push(transactions);
      if (counts.length > kept) counts.shift();
    },
    transactions: () => counts.reduce((sum, count) => sum + count, 0),
  };
}
