import { tokenBuckets } from '../../base/token-buckets.ts';
import { readHeader } from '../../chain/blocks.ts';
import { GWEI } from '../../chain/fees.ts';
import { listRelayers, type Relayer } from '../../chain/relayers.ts';
import { connectRpc } from '../../chain/rpc.ts';
import type { Settings } from '../../config/settings.ts';
import { localMasterKey, type MasterKey } from '../../custody/master-key.ts';
import { masterKeyFromFile, masterKeyPath } from '../../custody/master-key-file.ts';
import { openPageTokenIssuer } from '../../custody/page-token-key.ts';
import { openResultSigner } from '../../custody/result-key.ts';
import { hasDataKeys, openVault } from '../../custody/vault.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { setEventClock } from '../../webhooks/events.ts';
import type { Log, Readiness, Service, Settlement } from '../service.ts';
import { openAdmission } from './admission.ts';
import { openDecider } from './decider.ts';
import { relayersInUse } from './next-relayer.ts';
import { noteHead } from './note-head.ts';
import { type EnsureGas, prepareChain } from './prepare-chain.ts';

export type OpenService = {
  readonly service: Service;
  /** Resolves when no decision is under way. */
  drained(): Promise<void>;
  close(): Promise<void>;
};

export type Whereabouts = {
  readonly databaseUrl: string;
  readonly rpcUrls: readonly string[];
  /** Called when the node was given transactions. */
  readonly onSent?: () => void;
  /** The origin players and games reach. */
  readonly publicUrl: string;
};

/**
 * Opens database (migrated already), vault and chain, and puts them together: the service that use-cases work with.
 * Nothing runs in the background yet. `ensureGas` null: for a command beside a service. Throws readable Errors.
 */
export async function openService(
  settings: Settings,
  where: Whereabouts,
  log: Log,
  ensureGas: EnsureGas | null,
): Promise<OpenService> {
  const db = openDatabase(where.databaseUrl, {
    onError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
    onWriteFault: (err) => log.error({ err }, 'the database does not take writes; it is asked again until it does'),
  });
  try {
    await setEventClock(db);
    const rpc = connectRpc(where.rpcUrls, { onSent: where.onSent });
    const vault = await openVault(db, await masterKey(settings, db));
    const core = { settings, db, rpc, vault, log };
    const chain = await prepareChain(core, ensureGas);
    const pageTokens = await openPageTokenIssuer(db, vault, where.publicUrl);
    const results = await openResultSigner(db, vault, where.publicUrl);
    const parts = { ...core, chain, pageTokens, results, publicUrl: where.publicUrl };
    const { service, drained } = assemble(parts, relayersInUse(await listRelayers(db), settings));
    const head = await readHeader(rpc, 'latest');
    if (head) noteHead(service, head);
    return { service, drained, close: () => db.close() };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function masterKey(settings: Settings, db: Database): Promise<MasterKey> {
  if (settings.masterKey) return localMasterKey(settings.masterKey);
  // A missing file is made only while nothing is sealed: else it is lost, and a new one would hide that.
  return masterKeyFromFile(masterKeyPath(settings), !(await hasDataKeys(db)));
}

function assemble(
  parts: Omit<Service, 'decide' | 'settlement' | 'admission' | 'readiness' | 'rateLimits'>,
  relayers: readonly Relayer[],
): { service: Service; drained(): Promise<void> } {
  const settlement: Settlement = {
    processes: 1,
    relayers,
    leases: [],
    fees: { maxFeePerGas: BigInt(parts.settings.maxFeePerGasGwei) * GWEI, maxPriorityFeePerGas: GWEI },
    head: 0n,
    headHash: null,
    blockGasLimit: 0n,
    gas: 'unknown',
    feeCeilingReached: false,
    backlog: 0,
    strandedSuspected: true,
  };
  const admission = openAdmission(parts.settings, settlement);
  const { decide, drained } = openDecider({ ...parts, settlement, admission });
  const limit = (perSecond: number) =>
    perSecond === 0 ? null : tokenBuckets({ perSecond, processes: () => settlement.processes });
  const rateLimits = {
    credentials: limit(parts.settings.rateLimitPerSecond),
    addresses: limit(parts.settings.rateLimitPerAddress),
  };
  const readiness: Readiness = { started: true, chain: 'ok', suspended: false };
  return { service: { ...parts, settlement, admission, readiness, rateLimits, decide }, drained };
}
