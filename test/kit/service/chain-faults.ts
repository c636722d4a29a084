import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Mining, startMining } from '../../../local/anvil/mining.ts';
import { connectRpc, type Rpc } from '../../../src/chain/rpc.ts';
import { atEnd, type Ending } from '../unit/at-end.ts';
import { type FaultProxy, startFaultProxy } from '../unit/fault-proxy.ts';
import { type Evm, startEvm } from './evm.ts';

export type RawTransaction = `0x${string}`;
export type MinedTransaction = { readonly raw: RawTransaction; readonly hash: string; readonly from: string };
type Block = { transactions: { hash: string; from: string }[] };

/** A node that fails on demand as nodes do, behind a proxy that fails on demand as networks do. */
export type FaultyChain = {
  /** A direct connection to the running node, bypassing the proxy. */
  readonly evm: Evm;
  readonly proxy: FaultProxy;
  /** From now on waiting transactions stay in the pool. */
  stopMining(): Promise<void>;
  /** Mines a block whenever transactions wait. */
  startMining(): void;
  mine(blocks?: number): Promise<void>;
  /**
   * Ends the process and starts another one from an older state (`evm.dump()`): later blocks and the pool are gone.
   * Null: an empty chain.
   */
  restartFrom(state: Buffer | null): Promise<void>;
  /** Another node, beside this one, that has only `state` and does not mine. */
  startLagging(state: Buffer): Promise<Evm>;
  /** The signed transactions of the newest blocks, one list per block, oldest first. */
  newestTransactions(blocks: number): Promise<MinedTransaction[][]>;
  /** Replaces the newest blocks by others; `transactions` are mined in them as given, one list per block. */
  reorganise(depth: number, transactions?: readonly (readonly RawTransaction[])[]): Promise<void>;
  /** The signed bytes of a waiting or mined transaction. */
  raw(hash: string): Promise<RawTransaction>;
  /** The transactions in the pool. */
  waiting(): Promise<{ hash: string; from: string; nonce: bigint; input: string; to: string }[]>;
  /** A call by any account, without its key and at no cost; resolves with its hash, unmined. */
  sendAs(from: string, call: { to: string; data?: string; gas?: bigint }): Promise<string>;
};

const INTERVAL_MS = 40;
const EMPTY_EVERY_MS = 400;
const ETHER = `0x${(10n ** 21n).toString(16)}`;

/**
 * `seed`: for the proxy's random generator. `node`: a running node that does not mine. `emptyBlocks`: while mining is
 * on, blocks come even without transactions, as a depth above 1 needs. `state`: a file with the initial state. `rests`: with a large state, which
 * each block costs, blocks are rarer.
 */
export async function startFaultyChain(
  t: Ending,
  options: {
    seed?: number;
    node?: Evm;
    emptyBlocks?: boolean;
    state?: string | undefined;
    blockMs?: number;
    rests?: boolean;
  } = {},
): Promise<FaultyChain> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-chain-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  let node = options.node ?? (await startEvm({ args: ['--no-mining'], state: options.state }));
  atEnd(t, () => node.stop());
  const proxy = await startFaultProxy(t, node.url, options.seed);
  let mining: Mining | null = null;
  const stopMining = async () => {
    await mining?.stop();
    mining = null;
  };
  atEnd(t, stopMining);

  const stored = (state: Buffer) => {
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, state);
    return file;
  };
  const evm: Evm = {
    get url() {
      return node.url;
    },
    rpc: (method, params) => node.rpc(method, params),
    dump: () => (mining ? mining.alone(() => node.dump()) : node.dump()),
    stop: () => node.stop(),
  };
  const chain: FaultyChain = {
    evm,
    proxy,
    stopMining,
    startMining() {
      if (mining) return;
      const rpc = connectRpc([node.url], { timeoutMs: 60_000 });
      const onDemand = startMining(options.rests ? resting(rpc) : rpc, options.blockMs ?? INTERVAL_MS);
      const mineEmpty = () => void onDemand.alone(() => node.rpc('evm_mine')).catch(() => {});
      const clock = options.emptyBlocks && setInterval(mineEmpty, EMPTY_EVERY_MS);
      mining = {
        ...onDemand,
        async stop() {
          if (clock) clearInterval(clock);
          await onDemand.stop();
          // An empty block may be in progress.
          await onDemand.alone(async () => {});
        },
      };
    },
    async mine(blocks = 1) {
      for (let i = 0; i < blocks; i++) await evm.rpc('evm_mine');
    },
    async restartFrom(state) {
      const wasMining = mining !== null;
      await stopMining();
      proxy.reachable = false;
      await node.stop();
      node = await startEvm({ args: ['--no-mining'], state: state && stored(state) });
      proxy.target(node.url);
      proxy.reachable = true;
      if (wasMining) chain.startMining();
    },
    async startLagging(state) {
      const lagging = await startEvm({ args: ['--no-mining'], state: stored(state) });
      atEnd(t, () => lagging.stop());
      return lagging;
    },
    async newestTransactions(blocks) {
      const head = BigInt((await evm.rpc('eth_blockNumber')) as string);
      const lists: MinedTransaction[][] = [];
      for (let number = head - BigInt(blocks) + 1n; number <= head; number++) {
        const block = (await evm.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])) as Block;
        lists.push(
          await Promise.all(
            block.transactions.map(async ({ hash, from }) => ({ raw: await chain.raw(hash), hash, from })),
          ),
        );
      }
      return lists;
    },
    async reorganise(depth, transactions = []) {
      await evm.rpc('anvil_reorg', [depth, transactions.flatMap((list, block) => list.map((raw) => [raw, block]))]);
    },
    async raw(hash) {
      return (await evm.rpc('eth_getRawTransactionByHash', [hash])) as RawTransaction;
    },
    async waiting() {
      const pool = (await evm.rpc('txpool_content')) as Record<string, Record<string, Record<string, PoolEntry>>>;
      return [...Object.values(pool.pending ?? {}), ...Object.values(pool.queued ?? {})]
        .flatMap((bySender) => Object.values(bySender))
        .map(({ nonce, ...entry }) => ({ ...entry, nonce: BigInt(nonce) }))
        .sort((a, b) => Number(a.nonce - b.nonce));
    },
    async sendAs(from, { to, data, gas }) {
      await evm.rpc('anvil_impersonateAccount', [from]);
      if (BigInt((await evm.rpc('eth_getBalance', [from, 'latest'])) as string) < 10n ** 18n) {
        await evm.rpc('anvil_setBalance', [from, ETHER]);
      }
      const call = { from, to, data: data ?? '0x', gas: `0x${(gas ?? 200_000n).toString(16)}` };
      return (await evm.rpc('eth_sendTransaction', [call])) as string;
    },
  };
  chain.startMining();
  return chain;
}

type PoolEntry = { hash: string; from: string; nonce: string; input: string; to: string };

/** Mining looks at the pool before each block. That look waits as long as the last block took, so that the node has time for others. */
function resting(rpc: Rpc): Rpc {
  let tookMs = 0;
  return {
    ...rpc,
    async call(method, params) {
      if (method === 'txpool_status') await delay(tookMs);
      const began = performance.now();
      const result = await rpc.call(method, params);
      if (method === 'evm_mine') tookMs = performance.now() - began;
      return result as never;
    },
  };
}
