import { gunzipSync } from 'node:zlib';
import { connectRpc, type Rpc } from '../../src/chain/rpc.ts';
import type { Closers } from '../../src/process/shutdown.ts';
import { anvilBinary, dumpState, startNode } from '../anvil/node.ts';
import { startEmbeddedPostgres } from '../postgres/postgres.ts';
import { type NodeGate, openNodeGate } from './node-gate.ts';
import { copyDatabase, ownCopy, type Prepared } from './prepared.ts';

/** The database and the node of an emulator. */
export type EmulatorParts = {
  readonly databaseUrl: string;
  /** What the service reaches the node by. */
  readonly gate: NodeGate;
  /** The node itself. */
  readonly rpc: Rpc;
  /** Rejects when one of them ends by itself. */
  readonly lost: Promise<never>;
  dumpChain(): Promise<Buffer>;
};

/** Of so many of its newest blocks the node keeps the transactions, and the states. A reorganisation can go back as far. */
export const KEPT_BLOCKS = { transactions: 1_000, states: 256 };

/**
 * Starts both in a data folder of their own. `prepared`: what they continue from; null makes an empty chain and database. `onStarted`: called
 * when both are starting by themselves.
 */
export async function openEmulatorParts(
  dataDir: string,
  prepared: Prepared | null,
  closers: Closers,
  onStarted: () => void,
): Promise<EmulatorParts> {
  const [postgres, node] = await Promise.all([
    // The copy of the database takes longer than the node's first steps.
    startDatabase(dataDir, prepared, closers, onStarted),
    startChain(dataDir, prepared, closers),
  ]);
  const gate = await openNodeGate(node.url);
  await closers.opened(gate.close);
  const rpc = connectRpc([node.url]);
  const lost = Promise.race([
    postgres.exited.then(() => Promise.reject(new Error('The database of the emulator ended by itself.'))),
    node.child.exited.then(() => Promise.reject(new Error('The chain of the emulator ended by itself.'))),
  ]);
  lost.catch(() => {});
  const dumpChain = async () => gunzipSync((await dumpState(node.url)).zipped);
  return { databaseUrl: postgres.url, gate, rpc, lost, dumpChain };
}

async function startDatabase(dataDir: string, prepared: Prepared | null, closers: Closers, onStarted: () => void) {
  if (prepared) {
    await copyDatabase(prepared.folder, dataDir);
    await ownCopy(dataDir);
  }
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true, onStarted });
  await closers.opened(postgres.stop);
  if (!prepared) await (await import('./first-database.ts')).makeFirstDatabase(postgres.url);
  return postgres;
}

async function startChain(dataDir: string, prepared: Prepared | null, closers: Closers) {
  const state = prepared ? ['--load-state', prepared.chainState] : [];
  const node = await startNode(anvilBinary(), dataDir, state, prepared?.block ?? 0, undefined, KEPT_BLOCKS);
  await closers.opened(async () => {
    await node.child.stop();
  });
  return node;
}
