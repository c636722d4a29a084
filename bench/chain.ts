import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keeping } from '../local/anvil/kept-blocks.ts';
import { startMining } from '../local/anvil/mining.ts';
import { anvilBinary, startNode } from '../local/anvil/node.ts';
import { connectRpc, type Rpc } from '../src/chain/rpc.ts';

export type BenchChain = {
  readonly pid: number;
  readonly url: string;
  readonly rpc: Rpc;
  stop(): Promise<void>;
};

/** The time between two blocks, in milliseconds. */
export const BLOCK_MS = Number(process.env.BLOCK_MS ?? 1_000);

/** The embedded chain's node, in `folder`, which makes a block at each tick of {@link BLOCK_MS} while transactions wait. */
export async function startChain(folder: string, keeping?: Keeping): Promise<BenchChain> {
  mkdirSync(folder, { recursive: true });
  const { child, url } = await startNode(anvilBinary(), folder, [], 0, undefined, keeping);
  const rpc = connectRpc([url], { timeoutMs: 60_000 });
  const mining = startMining(atTicks(rpc), 1, { idleMs: 1 });
  return {
    pid: child.pid,
    url,
    rpc,
    async stop() {
      await mining.stop();
      await child.stop();
    },
  };
}

/**
 * Mining looks at the pool before each block. That look waits for the tick, so blocks do not drift by the time they take. A block that
 * takes longer than a tick is followed by the next one at once.
 */
function atTicks(rpc: Rpc): Rpc {
  let next = 0;
  return {
    ...rpc,
    async call(method, params) {
      if (method === 'txpool_status') {
        await delay(Math.max(0, next - performance.now()));
        next = Math.max(next + BLOCK_MS, performance.now());
      }
      return rpc.call(method, params);
    },
  };
}
