import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { anvilBinary } from '../../../local/anvil/node.ts';
import { patienceMs } from '../run/patience.ts';
import { isOnEdr, startEdr } from './edr.ts';
import { askForL1, isOnOp } from './op.ts';

export type Evm = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** One JSON-RPC call; a JSON-RPC error is thrown with the node's message. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** The node's whole state; a file of it can start another node. */
  dump(): Promise<Buffer>;
  stop(): Promise<void>;
};

/** The mnemonic of every development node: its accounts are unlocked and hold 10,000 ether each. */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

// Reads its standard input until the test process, or the kernel after a kill -9 of it, closes the pipe; then ends the
// node. The shell closes its own output, so that the output ends with the node. `wait` comes last: when the shell has
// exited, the port is free.
const WATCHDOG = '"$@" </dev/null & node=$!; exec >/dev/null 2>&1; cat; kill -9 "$node"; wait "$node"';

const START_TIMEOUT_MS = 5 * 60_000;

/**
 * Starts an EVM for one test (chain id 31337, a block per transaction) on a free port. `args` are further command line
 * options of anvil, such as `['--no-mining']`; `state`: a file with the initial state. With `QUARTERS_TEST_NODE=edr` it is
 * another node, which ignores all but `--no-mining` and `--chain-id`. With `edr-op` and `anvil-op` it follows the rules of the OP Stack.
 */
export async function startEvm(options: Options = {}): Promise<Evm> {
  const node = await (isOnEdr ? startEdr(options) : startAnvil(options));
  if (isOnOp) await askForL1(node);
  return node;
}

type Options = {
  readonly args?: readonly string[];
  readonly state?: string | null | undefined;
  /** Of how many of its newest blocks it keeps the state, and the transactions. */
  readonly keeping?: { readonly states: number; readonly transactions: number } | undefined;
};

const KEEPING = { states: 64, transactions: 1_024 };

async function startAnvil(options: Options): Promise<Evm> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-evm-'));
  const { states, transactions } = options.keeping ?? KEEPING;
  const kept = ['--prune-history', `${states}`, '--transaction-block-keeper', `${transactions}`];
  // A reorganisation names all of its transactions in one request.
  const bounds = [...kept, '--no-request-size-limit', '--cache-path', folder];
  const state = options.state ? ['--load-state', options.state] : [];
  const args = [...state, ...(isOnOp ? ['--optimism'] : []), ...(options.args ?? [])];
  const command = [anvilBinary(), '--port', '0', '--order', 'fifo', ...bounds, ...args];
  // It has its own process group: Ctrl-C in the terminal reaches only the tests, and the shell ends the node as always.
  const shell = spawn('/bin/sh', ['-c', WATCHDOG, 'watchdog', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: folder,
    detached: true,
  });
  const exited = new Promise<void>((resolve) => shell.once('exit', () => resolve()));
  const stop = async () => {
    shell.stdin.end();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    const url = `http://127.0.0.1:${await listeningPort(shell.stdout)}`;
    let id = 0;
    const rpc = async (method: string, params: readonly unknown[] = []) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
      const headers = { 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(patienceMs());
      const response = await fetch(url, { method: 'POST', headers, body, signal }).catch((cause) => {
        throw new Error(`${method}: the node does not answer`, { cause });
      });
      const reply = (await response.json()) as { result?: unknown; error?: { message: string } };
      if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
      return reply.result;
    };
    const dump = async () => gunzipSync(Buffer.from(String(await rpc('anvil_dumpState')).slice(2), 'hex'));
    return { url, rpc, dump, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The node takes a free port itself and prints it, so no other process can take it in between. */
function listeningPort(stdout: NodeJS.ReadableStream): Promise<number> {
  return new Promise((resolve, reject) => {
    const output: string[] = [];
    const fail = (what: string) => reject(new Error(`anvil ${what}:\n${output.join('\n')}`));
    const timer = setTimeout(() => fail(`did not listen within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    const lines = createInterface({ input: stdout });
    // Keeps reading after the port is known, because a full pipe would stop the node.
    lines.on('line', (line) => {
      const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
      if (port === undefined) {
        if (output.length < 200) output.push(line);
        return;
      }
      clearTimeout(timer);
      resolve(Number(port));
    });
    lines.on('close', () => {
      clearTimeout(timer);
      fail('ended before it listened');
    });
  });
}
