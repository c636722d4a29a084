import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRpc } from '../../src/chain/rpc.ts';
import { type Child, startChild } from '../child.ts';
import { guardNode, type NodePlace, nodePlaces } from './guard.ts';
import type { Keeping } from './kept-blocks.ts';

const flags = ({ transactions, states }: Keeping) => [
  '--no-cors',
  // No account of a published mnemonic has any ether.
  ...['--chain-id', '31337', '--accounts', '0'],
  ...['--order', 'fifo', '--no-mining', '--gas-limit', '1000000000'],
  // In memory; otherwise they go to files under $HOME.
  ...['--prune-history', `${states}`, '--transaction-block-keeper', `${transactions}`],
  // The first block has the same hash in every folder. A node that loads a state still makes its own first block and
  // keeps it as well: another time would give later loads two blocks of number 0.
  ...['--timestamp', '1700000000'],
];

const GONE_SHOWS_WITHIN_MS = 1_000;

/** A signal ended the node, so its end says nothing about the state that it loaded. */
export class NodeKilled extends Error {}

/** A node that answers, and the block that it has loaded. `url`: its guard, as long as the node runs. */
export type StartedNode = { child: Child; url: string; restoredBlock: number };

/** Another process has the port. */
class PortTaken extends Error {}

/**
 * Starts the node in `folder` and returns when it answers. New blocks get the clock's time. `places`: where it may listen.
 * @throws {@link NodeKilled} if a signal ended it, and an error with the node's last words for any other failure
 */
export async function startNode(
  binary: string,
  folder: string,
  extra: string[],
  expectedBlock: number,
  stopOn: AbortSignal | undefined,
  keeping: Keeping = { transactions: 256, states: 256 },
  places: readonly NodePlace[] = nodePlaces(),
): Promise<StartedNode> {
  const [place, ...others] = places;
  if (!place) throw new Error('the embedded chain found no free port');
  const args = [...flags(keeping), '--host', place.host, '--port', `${place.port}`, ...extra];
  return startAt(place, { binary, folder, args, expectedBlock, stopOn }).catch((error: Error) => {
    if (!(error instanceof PortTaken)) throw error;
    return startNode(binary, folder, extra, expectedBlock, stopOn, keeping, others);
  });
}

type Start = {
  readonly binary: string;
  readonly folder: string;
  readonly args: readonly string[];
  readonly expectedBlock: number;
  readonly stopOn: AbortSignal | undefined;
};

async function startAt(place: NodePlace, { binary, folder, args, expectedBlock, stopOn }: Start): Promise<StartedNode> {
  let text = '';
  let announce: (line: true) => void = () => {};
  const listening = new Promise<true>((found) => {
    announce = found;
  });
  const child = await startChild({
    command: binary,
    args: [...args, '--cache-path', join(folder, 'cache')],
    cwd: folder,
    // The user's own configuration has no effect.
    env: { HOME: folder, PATH: '/usr/bin:/bin', NO_COLOR: '1' },
    graceMs: 2_000,
    stopOn,
    onOutput(output) {
      if (text === 'done') return;
      text += output;
      if (!text.includes(`Listening on ${place.host}:${place.port}`)) return;
      text = 'done';
      announce(true);
    },
  });
  const failed = child.exited.then(({ signal }) => {
    const ending = signal ? `it was ended by ${signal}.` : 'it said nothing';
    const reason = `the embedded chain did not start: ${child.lastOutput() || ending}`;
    if (/address already in use/i.test(reason)) throw new PortTaken(reason);
    throw signal ? new NodeKilled(reason) : new Error(reason);
  });
  failed.catch(() => {});
  try {
    const isListening = await Promise.race([listening, failed, delay(120_000, undefined, { ref: false })]);
    if (!isListening) throw new Error('the embedded chain did not start within two minutes');
    const { url, close } = await guardNode(place);
    void child.exited.then(close);
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

/** A state as the node gives it, gzip of JSON, and for how many milliseconds the node did nothing else. */
export type Dump = { zipped: Buffer; ms: number };

/** Reads the newest block's state and the kept blocks. It is called separately: the answer may be hundreds of megabytes. */
export async function dumpState(url: string): Promise<Dump> {
  const began = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [false] }),
    signal: AbortSignal.timeout(120_000),
  });
  const ms = performance.now() - began;
  const { result } = (await response.json()) as { result?: string };
  if (result === undefined) throw new Error('the node gave no state');
  return { zipped: Buffer.from(result.slice(2), 'hex'), ms };
}

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The anvil binary itself, from the package for this platform. The package's `anvil` command is not used: it is a node
 * script that starts the binary, and ending it leaves the node running and its port taken.
 * @throws with one sentence if there is no binary for this platform or it was not installed
 */
export function anvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const require = createRequire(import.meta.url);
  // The platform package is a dependency of @foundry-rs/anvil. It is resolved from there, because it need not be
  // hoisted. Neither package has an entry point, but a package's own package.json can be resolved.
  try {
    const shim = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
    const binary = join(dirname(shim.resolve(`${name}/package.json`)), 'bin', 'anvil');
    if (existsSync(binary)) return binary;
  } catch {
    // The sentence below explains it better than the resolver's error.
  }
  throw new Error(
    `The embedded chain needs the package ${name}, which is not installed: run "npm install", or set CHAIN_RPC_URL to a node of yours.`,
  );
}
