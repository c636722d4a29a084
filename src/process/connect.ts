import { isDevelopment } from '../config/development.ts';
import { type Environment, examineSettings, type Subject } from '../config/read-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { SettingsError } from '../config/settings-error.ts';
import { TOPICS, type Topic } from '../db/announcements.ts';
import { databaseFault } from '../db/database-fault.ts';
import { dataKeysLoop } from '../jobs/data-keys-loop.ts';
import { listProcesses } from '../membership/processes.ts';
import { type House, houseOf, type Wing } from '../service/house.ts';
import type { Log, Service } from '../service/service.ts';
import { type Running, readRunning } from './data-folder.ts';
import { openService } from './open-service.ts';

/** Most commands end sooner. `replaceDataKey` waits longer. */
const KEYS_PAUSE_MS = 2_000;
/** A command that is killed while it waits has handed over what it did before. */
const HAND_OVER_EVERY_MS = 500;

/** Opens the service for one command, next to a running one or on the database and chain from the settings. */
export async function connect(
  settings: Settings,
  log: Log,
  house: House,
): Promise<{ service: Service; close(): Promise<void> }> {
  const running = await readRunning(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? running?.databaseUrl;
  const rpcUrls = settings.chainRpcUrls.length > 0 ? settings.chainRpcUrls : (running?.rpcUrls ?? []);
  if (!databaseUrl || rpcUrls.length === 0) throw notRunning(settings);
  const fault = await databaseFault(databaseUrl);
  if (fault) throw settings.databaseUrl ? new Error(`DATABASE_URL: ${fault}.`) : notRunning(settings);
  const publicUrl = settings.publicUrl ?? running?.publicUrl ?? `http://localhost:${settings.port}`;
  const where = {
    house,
    databaseUrl,
    rpcUrls,
    publicUrl,
    development: isBesideDevelopment(settings, running, publicUrl),
  };
  const { service, close } = await openService(settings, where, log, null);
  // A long command must open what a service seals meanwhile.
  const keys = dataKeysLoop(service, KEYS_PAUSE_MS, KEYS_PAUSE_MS);
  const left = new Set<Topic>();
  for (const topic of TOPICS) service.db.onAnnounced(topic, () => left.add(topic));
  let handed = Promise.resolve();
  const handOverNext = () => {
    handed = handed.then(() => handOver(service));
    return handed;
  };
  const handing = setInterval(handOverNext, HAND_OVER_EVERY_MS);
  handing.unref();
  return {
    service,
    async close() {
      clearInterval(handing);
      await keys.stop();
      // The loops of a running service do what the command has left to do.
      if (left.size > 0) await service.db.notifyOthers([...left]).catch(() => {});
      await handOverNext();
      await close();
    },
  };
}

/**
 * Gives the command's security events to the services, which log and count them. If none runs, or none can be reached, the command's own
 * log has them: an event in two logs is better than one in none. Never throws.
 */
async function handOver({ db, security }: Service): Promise<void> {
  const notes = security.takeNotes();
  if (notes.length === 0) return;
  try {
    const isHeard = (await listProcesses(db)).some(({ working }) => working);
    if (isHeard) return await db.sendNotes(notes);
  } catch {
    // Why is said by what the command does with the same database.
  }
  for (const note of notes) security.hear(note);
}

/** Finds what the settings name, and what a service on the same data folder has brought, without opening any of it. Never throws. */
export async function findSubject(env: Environment, wings: readonly Wing[]): Promise<Subject> {
  const examined = examineSettings(env);
  const { settings, unreadable } = examined;
  const running = await readRunning(settings.dataDir);
  // A setting that cannot be read is not the same as one that is not given.
  const given = (name: string, value: unknown) => value !== undefined || unreadable.has(name);
  const isDatabaseGiven = given('DATABASE_URL', settings.databaseUrl);
  const isChainGiven = given('CHAIN_RPC_URL', settings.chainRpcUrls[0]);
  return {
    ...examined,
    faults: [...examined.faults, ...wingFaults(wings, settings)],
    env,
    databaseUrl: settings.databaseUrl ?? (isDatabaseGiven ? null : (running?.databaseUrl ?? null)),
    rpcUrls: isChainGiven ? settings.chainRpcUrls : (running?.rpcUrls ?? []),
    publicUrl: settings.publicUrl ?? running?.publicUrl ?? `http://localhost:${settings.port}`,
    embedded: {
      database: !isDatabaseGiven && running?.databaseUrl !== undefined,
      chain: !isChainGiven && running?.rpcUrls !== undefined,
    },
  };
}

function wingFaults(wings: readonly Wing[], { wings: choice }: Settings): readonly string[] {
  try {
    houseOf(wings, choice);
    return [];
  } catch (error) {
    return (error as SettingsError).faults;
  }
}

/**
 * Whether the running service is in development mode. Its file says so, because the command does not know the service's settings. The
 * rule is checked again here, so that a command with DATABASE_URL, say, never takes part.
 */
function isBesideDevelopment(
  { databaseUrl, chainRpcUrls, host, trustProxy }: Settings,
  running: Running | null,
  publicUrl: string,
): boolean {
  if (!running?.development) return false;
  const embedded = {
    database: databaseUrl === undefined && running.databaseUrl !== undefined,
    chain: chainRpcUrls.length === 0 && running.rpcUrls !== undefined,
  };
  return isDevelopment({ embedded, host, publicUrl, trustProxy, isLan: running.isLan });
}

function notRunning({ dataDir }: Settings): Error {
  return new Error(
    `No service is running in ${dataDir}. Start it with npm start, or set DATABASE_URL and CHAIN_RPC_URL.`,
  );
}
