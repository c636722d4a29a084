import { setTimeout as delay } from 'node:timers/promises';
import { countAnswers } from '../base/answer-counts.ts';
import { openDelays } from '../base/delays.ts';
import { Meters } from '../base/meters.ts';
import { openSecurityLog } from '../base/security-log.ts';
import { tokenBuckets } from '../base/token-buckets.ts';
import { readInstallation } from '../chain/deployment.ts';
import { readGasPercent } from '../chain/learned-gas.ts';
import { readLearnedTip } from '../chain/learned-tip.ts';
import { Outgoing } from '../chain/outgoing.ts';
import { listActiveRelayers } from '../chain/relayers.ts';
import { connectRpc } from '../chain/rpc.ts';
import { readChainId } from '../chain/state.ts';
import type { Settings } from '../config/settings.ts';
import { adoptSeed, hasDataKeys } from '../custody/data-keys.ts';
import { explainForeignKey } from '../custody/foreign-master-key.ts';
import { readMasterKey } from '../custody/master-key.ts';
import { readKitFile } from '../custody/recovery-kit.ts';
import { openPageTokenIssuer, openResultSigner } from '../custody/signing-keys.ts';
import { openVault } from '../custody/vault.ts';
import { requireOwnTables } from '../membership/join.ts';
import { leaveInOrder, takeMark } from '../membership/left-in-order.ts';
import { newProcess, type ProcessSelf } from '../membership/processes.ts';
import type { House } from '../service/house.ts';
import type { Log, Readiness, Service, Settlement } from '../service/service.ts';
import { openAcceptance } from '../settlement/accept/accept.ts';
import { openAdmission } from '../settlement/accept/admission.ts';
import { noteRefusals } from '../settlement/accept/note-refusals.ts';
import { relayersInUse } from '../settlement/accept/signing.ts';
import { attachToChain, checkChain } from '../settlement/attach.ts';
import { isComparedByOthers } from '../settlement/compared-by-others.ts';
import { isNewest } from '../settlement/may-act.ts';
import { type EnsureGas, foreignChain, prepareChain } from '../settlement/prepare-chain.ts';
import {
  compareAgain,
  markStopping,
  noteFirstLook,
  readSuspensionQuietly,
  refreshSuspension,
  trustDatabase,
} from '../settlement/readiness.ts';
import { readRecovery } from '../settlement/tables/recovered.ts';
import { feesNow } from '../settlement/tips.ts';
import { nothingProven, proofOf } from '../settlement/vouch.ts';
import { setEventClock } from '../webhooks/events.ts';
import { languagesWith } from '../words/languages.ts';
import type { ServicePlace } from './listening-place.ts';
import { openDatabases } from './open-databases.ts';
import { tokenInFolder } from './order-token.ts';
import type { EmbeddedChain } from './parts.ts';

export type OpenService = {
  readonly service: Service;
  /** Resolves when no instruction is in progress. */
  drained(): Promise<void>;
  close(): Promise<void>;
};

/** How this process uses the place. */
type Uses = Partial<Pick<EmbeddedChain, 'onSent'>> & {
  readonly house: House;
  /** Of a process that has entered the database already (`enterDatabase`). */
  readonly self?: ProcessSelf;
  /** Of the database, at once. Left out: as `openPool` says. */
  readonly maxConnections?: number;
};

/**
 * Opens the database (already migrated), the vault and the chain, and builds the service that features work with.
 * Nothing runs in the background yet. `ensureGas` is null for a command beside a service.
 */
export async function openService(
  settings: Settings,
  place: ServicePlace & Uses,
  log: Log,
  ensureGas: EnsureGas | null,
): Promise<OpenService> {
  const { db, reads, replica, close: closeDatabases } = openDatabases(settings, place, log);
  const self = place.self ?? newProcess();
  const order = tokenInFolder(settings.dataDir);
  let isLeftInOrder = false;
  const markInOrder = () =>
    leaveInOrder(db, self, order).catch(({ message }: Error) =>
      // The next start then waits for the node.
      log.warn({ reason: message }, 'the database could not be marked as left in order'),
    );
  try {
    await requireOwnTables(db);
    if (ensureGas) isLeftInOrder = await takeMark(db, order);
    await setEventClock(db);
    const rpc = connectRpc(place.rpcUrls, { onSent: place.onSent });
    // A missing key file is created only while nothing is sealed. Later it must be lost, and a new file would hide that.
    const isNew = (await readInstallation(db)) === null;
    const isKitDue = settings.recoveryKitFile !== '' && isNew;
    const kit = isKitDue ? await readKitFile(settings.recoveryKitFile) : null;
    const masterKey = await readMasterKey(settings, !kit && !(await hasDataKeys(db)));
    if (kit) await db.transaction((tx) => adoptSeed(tx, masterKey, kit.wrappedSeed));
    const vault = await openVault(db, masterKey).catch(async (error: unknown) => {
      throw await explainForeignKey(db, settings, error);
    });
    // A command keeps its security events, to hand them to the services.
    const security = openSecurityLog(log, { keeps: ensureGas === null });
    const core = {
      settings,
      house: place.house,
      self,
      languages: languagesWith(settings.defaultLocale),
      db,
      reads,
      replica,
      rpc,
      vault,
      log,
      security,
      answers: countAnswers(),
      meters: new Meters(),
      delays: openDelays(),
      loopFaults: new Map(),
    };
    const chain = await prepareChain({ ...core, kit }, ensureGas);
    const pageTokens = await openPageTokenIssuer(db, vault, place.publicUrl);
    const results = await openResultSigner(db, vault, place.publicUrl);
    const connections = { databaseUrl: place.databaseUrl, rpcUrls: place.rpcUrls };
    const { publicUrl, development = false } = place;
    const parts = { ...core, connections, chain, pageTokens, results, publicUrl, development };
    const { service, drained } = assemble(parts, {
      relayers: relayersInUse(await listActiveRelayers(db), settings),
      learnedTip: (await readLearnedTip(db)).wei,
      gasPercent: await readGasPercent(db),
      recovered: await readRecovery(db),
    });
    if (isLeftInOrder || (isNew && !kit)) trustDatabase(service);
    if (ensureGas) await refreshSuspension(service);
    else await readSuspensionQuietly(service);
    await firstLook(service, ensureGas);
    const close = async () => {
      markStopping(service);
      if (ensureGas && isNewest(service.readiness)) await markInOrder();
      await closeDatabases();
    };
    return { service, drained, close };
  } catch (error) {
    // Nothing has been done, so the database is as it was left.
    if (isLeftInOrder) await markInOrder();
    await closeDatabases();
    throw error;
  }
}

/** How long a start, or a command, waits for the node to be in order before it continues without it. */
const FIRST_LOOK_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/**
 * Looks at the chain, and compares the database with it. If the node does not answer in time, asks whether another process has compared
 * it. Throws if the node is on another chain: at a start that is a wrong setting rather than an accident.
 */
async function firstLook(service: Service, ensureGas: EnsureGas | null): Promise<void> {
  const { db, chain, readiness, log } = service;
  let isLate = false;
  const looking = async () => {
    // `watchGas` reports relayers without ether; their transfers wait.
    const relayers = await listActiveRelayers(db);
    await ensureGas?.(relayers.map(({ address }) => address)).catch(() => {});
    // A command sends nothing by itself.
    const look = () => (ensureGas ? attachToChain(service) : checkChain(service, true));
    while (!(await look()) && readiness.chain === 'no-contracts' && !isLate) await delay(LOOK_AGAIN_MS);
  };
  const late = new AbortController();
  const failed = looking().catch((error: Error) => {
    if (!readiness.stopping) log.warn({ reason: error.message }, 'the chain could not be checked');
  });
  noteFirstLook(service, failed);
  await Promise.race([failed, delay(FIRST_LOOK_MS, undefined, { signal: late.signal })]);
  late.abort();
  isLate = true;
  if (readiness.chain === 'foreign') throw foreignChain(chain, await readChainId(service.rpc));
  if (isNewest(readiness)) return;
  if (await isComparedByOthers(service)) trustDatabase(service);
  else if (!isNewest(readiness)) log.warn({}, 'payments wait until the database is compared with the chain');
}

function assemble(
  parts: Omit<Service, 'accept' | 'isStalled' | 'isLate' | 'settlement' | 'admission' | 'readiness' | 'rateLimits'>,
  {
    relayers,
    learnedTip,
    gasPercent,
    recovered,
  }: Pick<Settlement, 'relayers' | 'learnedTip' | 'gasPercent'> & Pick<Readiness, 'recovered'>,
): { service: Service; drained(): Promise<void> } {
  const settlement: Settlement = {
    processes: 1,
    relayers,
    leases: [],
    fees: feesNow({
      settings: parts.settings,
      settlement: { baseFeePerGas: undefined, learnedTip, suggestedTip: null },
    }),
    baseFeePerGas: undefined,
    learnedTip,
    suggestedTip: null,
    gasPercent,
    mostFee: null,
    mostGas: null,
    rollupFee: 0n,
    raised: [],
    head: 0n,
    headHash: null,
    blockGasLimit: 0n,
    gas: 'unknown',
    atFeeCeiling: new Map(),
    outgoing: new Outgoing(),
    backlog: 0,
    final: { number: null, readAt: Number.NEGATIVE_INFINITY, isAsked: false },
    strandedSuspected: true,
    settledUnseen: new Set(),
  };
  const admission = openAdmission(parts.settings, settlement);
  const readiness: Readiness = {
    started: false,
    stopping: false,
    chain: 'unknown',
    chainSince: 0n,
    proof: proofOf(parts.settings),
    proven: nothingProven(),
    unproven: null,
    looked: Promise.resolve(),
    compared: 'not-yet',
    trusted: false,
    suspended: false,
    moving: false,
    recovered,
  };
  parts.db.onServerChange(() => compareAgain({ ...parts, readiness }));
  const { drained, accept, ...acceptance } = openAcceptance({ ...parts, settlement, admission, readiness });
  const limit = (perSecond: number) =>
    perSecond === 0 ? null : tokenBuckets({ perSecond, processes: () => settlement.processes });
  const rateLimits = {
    credentials: limit(parts.settings.rateLimitPerSecond),
    addresses: limit(parts.settings.rateLimitPerAddress),
  };
  const noting = noteRefusals(parts, accept);
  return {
    service: { ...parts, settlement, admission, readiness, rateLimits, ...acceptance, accept: noting },
    drained,
  };
}
