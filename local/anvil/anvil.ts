import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRpc, type Rpc } from '../../src/chain/rpc.ts';
import { type Child, type ChildExit, startChild } from '../child.ts';
import { anvilBinary } from './binary.ts';
import { startMining } from './mining.ts';
import { openSnapshots, type SnapshotStore } from './snapshots.ts';

export type EmbeddedChain = {
  /** JSON-RPC over HTTP, on a free port of 127.0.0.1. */
  url: string;
  /**
   * The block at which the chain was restored; 0 for a new chain. After a kill -9 it is older than the last block seen.
   */
  restoredBlock: number;
  /** There are transactions to mine. */
  wake(): void;
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
  /** Called with one sentence about a problem that was found and what was done about it. */
  log?: (message: string) => void;
  /** Aborting it stops the node, and the start throws its reason. Release it when the start is complete. */
  stopOn?: AbortSignal | undefined;
};

const chainId = 31337;
const blockMs = 200;
const idleMs = 1_000;
const snapshotMs = 5_000;
/** At most this part of the time goes into snapshots. */
const snapshotShare = 0.05;

/**
 * The limit for states of past blocks in a snapshot. In the running node they share their memory; after loading each is
 * a full copy and takes about twenty times the size of its text. Above the limit (about 3,000 storage slots at 256
 * blocks) they are left out.
 */
const maxHistoryBytes = 16 * 1024 * 1024;

const flags = [
  // Only the node's own output names a port that no other process can take.
  ...['--port', '0', '--host', '127.0.0.1', '--no-cors'],
  // No account of a published mnemonic has any ether.
  ...['--chain-id', `${chainId}`, '--accounts', '0'],
  ...['--order', 'fifo', '--no-mining', '--gas-limit', '1000000000'],
  // Keeps the states and transactions of this many blocks in memory; otherwise they go to files under $HOME.
  ...['--prune-history', '256', '--transaction-block-keeper', '256', '--preserve-historical-states'],
  // The first block has the same hash in every folder. A node that loads a state still makes its own first block and
  // keeps it as well: another time would give later loads two blocks of number 0.
  ...['--timestamp', '1700000000'],
];

/**
 * Starts anvil as the service's chain (chain id 31337, EIP-1559 fees, blocks of 1,000,000,000 gas, made only while
 * transactions wait) from its newest usable snapshot.
 *
 * Blocks, transactions, receipts and logs of the last 256 blocks before the restored one answer as before. So do calls
 * and nonces at these blocks, unless the state was too large to keep their history: then they are errors.
 * @throws with the node's last words if it does not start
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const folder = resolve(options.dataDir, 'chain');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const snapshots = await openSnapshots(join(folder, 'states'));
  const { child, url, restoredBlock } = await startFromNewest(folder, snapshots, options);
  const rpc = connectRpc([url], { timeoutMs: 20_000 });
  const mining = startMining(rpc, blockMs, { depth: options.depth, idleMs });
  // Otherwise a state could contain a block's effects without the block, and what that block paid would never be seen.
  const dump = (withHistory: boolean) => mining.alone(() => dumpState(url, withHistory));
  const log = (message: string) => {
    // A start that was aborted has nothing new to save.
    if (!options.stopOn?.aborted) options.log?.(message);
  };
  const saving = startSaving(dump, rpc, snapshots, restoredBlock, log);
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
    exited: child.exited,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

const GONE_SHOWS_WITHIN_MS = 1_000;

class NodeKilled extends Error {}

type Started = { child: Child; url: string; restoredBlock: number };

async function startFromNewest(
  folder: string,
  snapshots: SnapshotStore,
  { log = () => {}, stopOn }: EmbeddedChainOptions,
): Promise<Started> {
  const binary = anvilBinary();
  const loading = join(folder, 'loading.json');
  const unusable: string[] = [];
  let started: Started | undefined;
  for (const name of await snapshots.names()) {
    const snapshot = await snapshots.read(name).catch((error: Error) => error);
    // A full disk is not the state's fault, so it ends the start.
    if (!(snapshot instanceof Error)) await writeFile(loading, snapshot.json, { mode: 0o600 });
    try {
      if (snapshot instanceof Error) throw snapshot;
      const load = () => startNode(binary, folder, ['--load-state', loading], snapshot.block, stopOn);
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
  started ??= await startNode(binary, folder, [], 0, stopOn);
  // Not earlier: if nothing starts at all, the states are not the cause.
  for (const name of unusable) await snapshots.reject(name);
  return started;
}

async function startNode(
  binary: string,
  folder: string,
  extra: string[],
  expectedBlock: number,
  stopOn: AbortSignal | undefined,
): Promise<Started> {
  let text = '';
  let announce: (port: string) => void = () => {};
  const listening = new Promise<string>((found) => {
    announce = found;
  });
  const child = await startChild({
    command: binary,
    args: [...flags, '--cache-path', join(folder, 'cache'), ...extra],
    cwd: folder,
    // The user's own configuration has no effect.
    env: { HOME: folder, PATH: '/usr/bin:/bin', NO_COLOR: '1' },
    graceMs: 2_000,
    stopOn,
    onOutput(output) {
      if (text === 'done') return;
      text += output;
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port === undefined) return;
      text = 'done';
      announce(port);
    },
  });
  const failed = child.exited.then(({ signal }) => {
    const ending = signal ? `it was ended by ${signal}.` : 'it said nothing';
    const reason = `the embedded chain did not start: ${child.lastOutput() || ending}`;
    throw signal ? new NodeKilled(reason) : new Error(reason);
  });
  failed.catch(() => {});
  try {
    const port = await Promise.race([listening, failed, delay(120_000, undefined, { ref: false })]);
    if (port === undefined) throw new Error('the embedded chain did not start within two minutes');
    const url = `http://127.0.0.1:${port}`;
    const rpc = connectRpc([url]);
    await rpc.call('anvil_setLoggingEnabled', [false]);
    const restoredBlock = Number(await rpc.call<string>('eth_blockNumber', []));
    if (restoredBlock !== expectedBlock)
      throw new Error(`block ${restoredBlock} was loaded instead of ${expectedBlock}`);
    // New blocks get the clock's time, starting from the fixed time of the first block; time never goes back.
    const { timestamp } = await rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
    await rpc.call('evm_setTime', [Math.max(Math.floor(Date.now() / 1000), Number(timestamp))]);
    return { child, url, restoredBlock };
  } catch (error) {
    // A node that ended cuts its connections first, and its exit shows a moment later. That exit is the reason to
    // report.
    const reason = await Promise.race([failed.catch((ending: Error) => ending), delay(GONE_SHOWS_WITHIN_MS, error)]);
    await child.stop();
    stopOn?.throwIfAborted();
    throw reason;
  }
}

/** Takes snapshots while the chain moves, less often the longer one takes. */
function startSaving(
  dump: (withHistory: boolean) => Promise<Buffer>,
  rpc: Rpc,
  snapshots: SnapshotStore,
  from: number,
  log: (message: string) => void,
) {
  const ending = new AbortController();
  let saved = from;
  let withHistory = true;
  const save = async () => {
    if (Number(await rpc.call<string>('eth_blockNumber', [])) === saved) return;
    const written = await snapshots.write(await dump(withHistory));
    saved = written.block;
    withHistory &&= written.historyBytes <= maxHistoryBytes;
  };
  const loop = (async () => {
    let wait = snapshotMs;
    let failing = false;
    while (!ending.signal.aborted) {
      await delay(wait, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) break;
      const started = performance.now();
      try {
        await save();
        failing = false;
      } catch (error) {
        if (!failing) log(`The chain's state could not be saved (${(error as Error).message}); it is tried again.`);
        failing = true;
      }
      wait = Math.max(snapshotMs, (performance.now() - started) / snapshotShare);
    }
  })();
  return {
    async stop() {
      ending.abort();
      await loop;
      await save().catch((error: Error) => log(`The chain's last state could not be saved (${error.message}).`));
    },
  };
}

/** The node answers with gzip in hex. It is called separately, because the answer may be hundreds of megabytes. */
async function dumpState(url: string, withHistory: boolean): Promise<Buffer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [withHistory] }),
    signal: AbortSignal.timeout(120_000),
  });
  const { result } = (await response.json()) as { result?: string };
  if (result === undefined) throw new Error('the node gave no state');
  return Buffer.from(result.slice(2), 'hex');
}
