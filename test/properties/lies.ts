import { setTimeout as delay } from 'node:timers/promises';
import type { Lie } from '../kit/unit/fault-proxy.ts';

type Block = { readonly parentHash: string };

const NO_BLOOM = `0x${'0'.repeat(512)}`;
const MOST_LATE_MS = 10;

const inBlocks =
  (change: (block: Block, random: () => number) => object): Lie =>
  (method, result, random) =>
    method.startsWith('eth_getBlockBy') && result ? change(result as Block, random) : result;

/** What one of several endpoints may do. The others tell the truth. */
export const LIES = {
  'leaves out logs': (method, result, random) =>
    method === 'eth_getLogs' ? (result as unknown[]).filter(() => random() < 0.5) : result,
  'has no logs and no blooms': (method, result, random) =>
    method === 'eth_getLogs' ? [] : inBlocks((block) => ({ ...block, logsBloom: NO_BLOOM }))(method, result, random),
  'makes up hashes': inBlocks((block, random) =>
    random() < 0.5 ? block : { ...block, hash: block.parentHash, parentHash: block.parentHash },
  ),
  'says that blocks are old': inBlocks((block) => ({ ...block, timestamp: '0x1' })),
  'knows no transactions': (method, result) =>
    method === 'eth_getTransactionByHash' || method === 'eth_getTransactionReceipt' ? null : result,
  'has seen no nonces': (method, result) => (method === 'eth_getTransactionCount' ? '0x0' : result),
  'answers late': (_method, result, random) => delay(random() * MOST_LATE_MS, result),
} satisfies Record<string, Lie>;

export type LieName = keyof typeof LIES;
