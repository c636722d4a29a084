import { startEmbeddedChain } from '../chain/embedded.ts';
import { connectRpc } from '../chain/rpc.ts';
import { readChainId } from '../chain/state.ts';
import type { Settings } from '../config/settings.ts';
import { startEmbeddedPostgres } from '../db/embedded.ts';
import { databaseFault } from '../db/reachable.ts';

/** The database and the chain, embedded or configured. `stop` stops the embedded ones in order. */
export type Parts = {
  readonly databaseUrl: string;
  readonly rpcUrls: readonly string[];
  /** Call it after sending transactions to the node: an embedded chain then mines a block. */
  onSent(): void;
  readonly embedded: { readonly database: boolean; readonly chain: boolean };
  /** Resolves with a sentence when an embedded part ends by itself. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
};

/**
 * Starts or connects the database and the chain in parallel. If one fails, ends before the other is ready, or `ended` is
 * aborted, both are stopped at once. Throws one Error with a line for each fault.
 */
export async function openParts(settings: Settings, say: (line: string) => void, ended: AbortSignal): Promise<Parts> {
  ended.throwIfAborted();
  const starting = new AbortController();
  let complete = false;
  const giveUp = (reason: unknown) => {
    if (!complete) starting.abort(reason);
  };
  ended.addEventListener('abort', () => giveUp(ended.reason), { once: true });
  const opening = [
    openDatabasePart(settings, say, starting.signal),
    openChainPart(settings, say, starting.signal),
  ] as const;
  for (const part of opening) part.then(({ lost }) => lost.then((how) => giveUp(new Error(how))), giveUp);
  const [database, chain] = await Promise.allSettled(opening);
  if (database.status === 'fulfilled' && chain.status === 'fulfilled' && !starting.signal.aborted) {
    complete = true;
    return {
      databaseUrl: database.value.url,
      rpcUrls: chain.value.urls,
      onSent: chain.value.wake,
      embedded: { database: !settings.databaseUrl, chain: settings.chainRpcUrls.length === 0 },
      lost: Promise.race([database.value.lost, chain.value.lost]),
      async stop() {
        await chain.value.stop();
        await database.value.stop();
      },
    };
  }
  for (const part of [chain, database]) if (part.status === 'fulfilled') await part.value.stop();
  ended.throwIfAborted();
  const reasons = [database, chain].flatMap((part) => (part.status === 'rejected' ? [part.reason as Error] : []));
  // The abort's reason counts too, and may be the only one: a part may have started and then ended by itself.
  const faults = new Set([...reasons, starting.signal.reason as Error].map(({ message }) => message));
  // A node that does not answer stops only the first start. Next to another fault it is worth reporting.
  const { chainRpcUrls } = settings;
  if (chainRpcUrls.length > 0) {
    await readChainId(connectRpc(chainRpcUrls, { timeoutMs: 5_000 })).catch((error: Error) => {
      faults.add(`CHAIN_RPC_URL: ${error.message}.`);
    });
  }
  throw new Error([...faults].join('\n'));
}

const never = new Promise<string>(() => {});

async function openDatabasePart(settings: Settings, say: (line: string) => void, stopOn: AbortSignal) {
  if (settings.databaseUrl) {
    const fault = await databaseFault(settings.databaseUrl);
    if (fault) throw new Error(`DATABASE_URL: ${fault}.`);
    return { url: settings.databaseUrl, lost: never, stop: async () => {} };
  }
  const postgres = await startEmbeddedPostgres({ dataDir: settings.dataDir, log: say, stopOn });
  return { ...postgres, lost: postgres.exited.then(() => 'The embedded PostgreSQL ended by itself.') };
}

async function openChainPart(settings: Settings, say: (line: string) => void, stopOn: AbortSignal) {
  if (settings.chainRpcUrls.length > 0) {
    return { urls: settings.chainRpcUrls, wake: () => {}, lost: never, stop: async () => {} };
  }
  const chain = await startEmbeddedChain({
    dataDir: settings.dataDir,
    depth: settings.completeAfter,
    log: say,
    stopOn,
  });
  const lost = chain.exited.then(() => 'The embedded chain ended by itself.');
  return { urls: [chain.url], wake: chain.wake, lost, stop: chain.stop };
}
