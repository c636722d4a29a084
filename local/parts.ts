import { type Rpc, toQuantity } from '../src/chain/rpc.ts';
import type { Settings } from '../src/config/settings.ts';
import { databaseFault } from '../src/db/database-fault.ts';
import type { MigrateOptions } from '../src/db/migrate.ts';
import { migrateAlone } from '../src/membership/membership.ts';
import { FolderLockedError, lockFolder } from '../src/process/data-folder.ts';
import { migrateGiven, nodeFaults, type OpenParts } from '../src/process/parts.ts';
import type { EnsureGas } from '../src/settlement/prepare-chain.ts';
import { startEmbeddedChain } from './anvil/anvil.ts';
import { startEmbeddedPostgres } from './postgres/postgres.ts';

/**
 * Starts or connects the database and the chain in parallel. If one fails, ends before the other is ready, or `ended` is
 * aborted, both are stopped at once. Throws one Error with a line for each fault.
 */
export const openLocalParts: OpenParts = async (settings, say, ended) => {
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
      ...(chain.value.embedded && { chain: chain.value.embedded }),
      embedded: { database: !settings.databaseUrl, chain: chain.value.embedded !== null },
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
  for (const fault of await nodeFaults(settings.chainRpcUrls)) faults.add(fault);
  throw new Error([...faults].join('\n'));
};

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
    return { urls: settings.chainRpcUrls, embedded: null, lost: never, stop: async () => {} };
  }
  const chain = await startEmbeddedChain({
    dataDir: settings.dataDir,
    depth: settings.completeAfter,
    finalAfter: settings.finalAfter,
    log: say,
    stopOn,
  });
  const lost = chain.exited.then(() => 'The embedded chain ended by itself.');
  const embedded = { onSent: chain.wake, followedBy: chain.followedBy, giveEther };
  return { urls: [chain.url], embedded, lost, stop: chain.stop };
}

const ETHER = 10n ** 18n;

/** Gives every relayer more ether than it can use: a development chain prints its own. */
export function giveEther(rpc: Rpc): EnsureGas {
  return async (addresses) => {
    for (const address of addresses) await rpc.call('anvil_setBalance', [address, toQuantity(1_000_000n * ETHER)]);
  };
}

/** Updates the schema of DATABASE_URL, of the running service's database, or of the embedded database if nothing runs. */
export async function migrateDatabase(
  settings: Settings,
  options: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  // What is prepared is for while the service runs.
  if (settings.databaseUrl || options.prepare) return migrateGiven(settings, options);
  try {
    const lock = await lockFolder(settings.dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir: settings.dataDir });
    try {
      return { applied: await migrateAlone(postgres.url) };
    } finally {
      await postgres.stop();
      lock.release();
    }
  } catch (error) {
    if (error instanceof FolderLockedError) return migrateGiven(settings);
    throw error;
  }
}
