import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { connectRpc } from '../../src/chain/rpc.ts';
import type { ChildExit } from '../child.ts';
import { boundLead, keepingFor, type Lead } from './kept-blocks.ts';
import { startMining } from './mining.ts';
import { anvilBinary, dumpState, NodeKilled, type StartedNode, startNode } from './node.ts';
import { openSnapshots, type SnapshotStore, startSaving } from './snapshots.ts';

export type EmbeddedChain = {
  /** JSON-RPC over HTTP, on a free port of 127.0.0.1. */
  url: string;
  /**
   * The block at which the chain was restored; 0 for a new chain. After a kill -9 it is older than the last block seen.
   */
  restoredBlock: number;
  /** There are transactions to mine. */
  wake(): void;
  /** From now on the chain waits for a service that is behind. */
  followedBy: Lead['followedBy'];
  /** Saves the state and ends the node. */
  stop(): Promise<void>;
  /** Resolves when the node has ended, by request or not. */
  exited: Promise<ChildExit>;
};

type EmbeddedChainOptions = {
  /** The service's data folder, locked by the caller; the chain's files are in `<dataDir>/chain`. */
  dataDir: string;
  /** The depth in blocks at which a transaction counts: an idle chain mines on until then. */
  depth?: number;
  /** As the setting FINAL_AFTER: an idle chain mines on until what counts is final. Left out: it does not. */
  finalAfter?: number | 'auto';
  /** The least time between two blocks. */
  blockMs?: number;
  /** Called with one sentence about a problem that was found and what was done about it. */
  log?: (message: string) => void;
  /** Aborting it stops the node, and the start throws its reason. Release it when the start is complete. */
  stopOn?: AbortSignal | undefined;
};

const defaultBlockMs = 200;
const idleMs = 3_000;
/**
 * The node calls a block final when twice as many blocks follow it. That is soon, and still deeper than what `quarters trigger` takes back. The
 * node keeps the receipts for longer, by which gas is counted of what is final.
 */
const EPOCH_SLOTS = 4;

/**
 * Starts anvil as the service's chain (chain id 31337, EIP-1559 fees, blocks of 1,000,000,000 gas, made only while
 * transactions wait, and until these are final) from its newest usable snapshot.
 *
 * All blocks before the restored one answer as before, the last ones (see {@link keepingFor}) with their transactions,
 * receipts and logs. Calls and nonces at blocks before the restored one are errors: one state of the past takes as much
 * space as the newest.
 * @throws with the node's last words if it does not start
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const folder = resolve(options.dataDir, 'chain');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const snapshots = await openSnapshots(join(folder, 'states'));
  const { child, url, restoredBlock } = await startFromNewest(folder, snapshots, options);
  const rpc = connectRpc([url], { timeoutMs: 20_000 });
  const { depth = 1, finalAfter = 0, blockMs = defaultBlockMs } = options;
  const { followedBy, mayMine, isFollowed, onMined, transactions } = boundLead(rpc, depth);
  const mining = startMining(rpc, blockMs, {
    ...{ depth, idleMs, mayMine, mayTrail: isFollowed, onMined },
    trailing: finalAfter === 'auto' ? 2 * EPOCH_SLOTS : finalAfter,
    // The service reads nonces at the newest block of that depth, so it must not be older than the restored one.
    isRestored: restoredBlock > 0,
  });
  // Otherwise a state could contain a block's effects without the block, and what that block paid would never be seen.
  const dump = () => mining.alone(() => dumpState(url));
  const log = (message: string) => {
    // A start that was aborted has nothing new to save.
    if (!options.stopOn?.aborted) options.log?.(message);
  };
  const { makeOne: makeRoom } = mining;
  const saving = startSaving({ dump, rpc, snapshots, from: restoredBlock, transactions, makeRoom, log });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await mining.stop();
    await saving.stop();
    await child.stop();
  };
  void child.exited.then(() => {
    stopped ??= stop();
  });
  return {
    url,
    restoredBlock,
    wake: mining.wake,
    followedBy,
    exited: child.exited,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function startFromNewest(
  folder: string,
  snapshots: SnapshotStore,
  { depth = 1, log = () => {}, stopOn }: EmbeddedChainOptions,
): Promise<StartedNode> {
  const epochs = ['--slots-in-an-epoch', `${EPOCH_SLOTS}`];
  const start = (load: string[], block: number) =>
    startNode(anvilBinary(), folder, [...epochs, ...load], block, stopOn, keepingFor(depth));
  const loading = join(folder, 'loading.json');
  const unusable: string[] = [];
  let started: StartedNode | undefined;
  for (const name of await snapshots.names()) {
    const snapshot = await snapshots.read(name).catch((error: Error) => error);
    // A full disk is not the state's fault, so it ends the start.
    if (!(snapshot instanceof Error)) await writeFile(loading, snapshot.json, { mode: 0o600 });
    try {
      if (snapshot instanceof Error) throw snapshot;
      const load = () => start(['--load-state', loading], snapshot.block);
      // A node that somebody killed says nothing about the state, which would be discarded for an older one.
      started = await load().catch((error: Error) => {
        if (!(error instanceof NodeKilled)) throw error;
        return load();
      });
      break;
    } catch (error) {
      // An abort is not the state's fault.
      stopOn?.throwIfAborted();
      log(`The chain's saved state ${name} cannot be used (${(error as Error).message}).`);
      unusable.push(name);
    } finally {
      await rm(loading, { force: true });
    }
  }
  if (!started && unusable.length > 0)
    log('No saved state of the chain is left: it starts again from its first block.');
  started ??= await start([], 0);
  // Not earlier: if nothing starts at all, the states are not the cause.
  for (const name of unusable) await snapshots.reject(name);
  return started;
}
