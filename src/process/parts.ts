import { connectRpc, type Rpc } from '../chain/rpc.ts';
import { readChainId } from '../chain/state.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { databaseFault } from '../db/database-fault.ts';
import { type MigrateOptions, prepareMigrations } from '../db/migrate.ts';
import { migrateAlone } from '../membership/membership.ts';
import type { EnsureGas } from '../settlement/prepare-chain.ts';
import { readRunning } from './data-folder.ts';

/** What a service and the chain that is embedded with it do for each other. */
export type EmbeddedChain = {
  /** Called after transactions were sent: the chain then mines a block. */
  readonly onSent: () => void;
  /** Takes a function that reads the newest posted block: the chain waits for a service that is behind. One process gives it. */
  readonly followedBy?: (readPosted: () => Promise<bigint | null>) => void;
  /** Gives the relayers ether. On another chain the operator does that. */
  readonly giveEther: (rpc: Rpc) => EnsureGas;
};

/** The database and the chain of a service, and what is known of where they come from. */
export type Parts = {
  readonly databaseUrl: string;
  readonly rpcUrls: readonly string[];
  readonly embedded: { readonly database: boolean; readonly chain: boolean };
  /** Of a chain that is embedded. */
  readonly chain?: EmbeddedChain;
  /** Settles, with a sentence, when an embedded part ends by itself. */
  readonly lost: Promise<string>;
  /** Ends what is embedded, in order. */
  stop(): Promise<void>;
};

/** Opens the parts of a service. Throws one Error with a line for each fault, or the reason `ended` was aborted with. */
export type OpenParts = (settings: Settings, say: (line: string) => void, ended: AbortSignal) => Promise<Parts>;

/** The database and the chain that the settings name; nothing is embedded. */
export const openGivenParts: OpenParts = async ({ databaseUrl, chainRpcUrls, demo }) => {
  const faults: string[] = [];
  if (!databaseUrl) faults.push('DATABASE_URL is not set. `npm start` brings a database for a try-out.');
  if (chainRpcUrls.length === 0) faults.push('CHAIN_RPC_URL is not set. `npm start` brings a chain for a try-out.');
  if (demo === 'on') faults.push('DEMO_APP=on works with `npm start` only.');
  if (!databaseUrl || faults.length > 0) throw new SettingsError(faults);
  const fault = await databaseFault(databaseUrl);
  if (fault) throw new Error([`DATABASE_URL: ${fault}.`, ...(await nodeFaults(chainRpcUrls))].join('\n'));
  return {
    databaseUrl,
    rpcUrls: chainRpcUrls,
    embedded: { database: false, chain: false },
    lost: new Promise<string>(() => {}),
    stop: async () => {},
  };
};

/** Says if the node does not answer. By itself this stops no start, but next to another fault it is worth reporting. */
export async function nodeFaults(rpcUrls: readonly string[]): Promise<string[]> {
  if (rpcUrls.length === 0) return [];
  try {
    await readChainId(connectRpc(rpcUrls, { timeoutMs: 5_000 }));
    return [];
  } catch (error) {
    return [`CHAIN_RPC_URL: ${(error as Error).message}.`];
  }
}

/** Brings the schema up to date, or prepares that: of DATABASE_URL, or of the service that runs on the data folder. */
export async function migrateGiven(
  { databaseUrl, dataDir }: Settings,
  { prepare }: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const work = prepare ? prepareMigrations : migrateAlone;
  if (databaseUrl) {
    const fault = await databaseFault(databaseUrl);
    if (fault) throw new Error(`DATABASE_URL: ${fault}.`);
    return { applied: await work(databaseUrl) };
  }
  const running = await readRunning(dataDir);
  if (!running?.databaseUrl) throw new SettingsError(['DATABASE_URL is not set, and no service is running here.']);
  return { applied: await work(running.databaseUrl) };
}
