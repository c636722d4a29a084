import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../src/config/read-settings.ts';
import { freePort } from '../../src/http/listen.ts';
import { openLog } from '../../src/process/logging.ts';
import { type Closers, openClosers } from '../../src/process/shutdown.ts';
import type { House } from '../../src/service/house.ts';
import { type SeenCalls, watchCalls } from './calls.ts';
import { MASTER_KEY } from './known-keys.ts';
import { type MovedTime, moveTime } from './moved-time.ts';
import type { Outcomes } from './outcomes/outcomes.ts';
import { openEmulatorParts } from './parts.ts';
import { findPrepared, type Prepared } from './prepared.ts';
import { openRandomness, type Randomness } from './seeded.ts';
import type { Snapshots } from './snapshots.ts';
import { makeThrowawayFolder } from './throwaway-folder.ts';
import type { DeliveryControl } from './webhooks/delivery-control.ts';
import type { World } from './world.ts';

export type Emulator = {
  readonly world: World;
  readonly snapshots: Snapshots;
  readonly calls: SeenCalls;
  readonly outcomes: Outcomes;
  readonly deliveries: DeliveryControl;
  /** The origin of the service. */
  readonly url: string;
  /** Goes back to a snapshot. Everything that was asked of the emulator since its start is forgotten, too. */
  reset(to?: string): Promise<undefined>;
  stop(): Promise<void>;
};

type EmulatorOptions = {
  /** Settings of the service. The database and the chain are the emulator's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly house: House;
  /** 0: a free one. */
  readonly port: number;
  /** Where it listens that other devices reach it. Left out: they do not. */
  readonly lan?: LanPlace | undefined;
  /** Ids, keys and addresses of what the emulator makes follow from it, and are the same in each run. Left out: they are random. */
  readonly seed?: string | undefined;
};

/** What the service has here if it is not set: short waits, and no limits for tests that call as fast as they can. */
const DEFAULTS = {
  CHAIN_POLL_MS: '20',
  CHAIN_IDLE_POLL_MS: '100',
  AUDIT_EVERY_SECONDS: '0',
  RATE_LIMIT_PER_SECOND: '0',
  RATE_LIMIT_PER_ADDRESS: '0',
  WEBHOOK_PRIVATE_TARGETS: 'on',
  METRICS: 'off',
  LOG_LEVEL: 'warn',
  DEMO_APP: 'off',
  WITHDRAWALS: 'on',
};

export type LanPlace = { readonly HOST: string; readonly PUBLIC_URL: string };

/** Names that are the game's own settings as often as ours, and that would open a service with known keys to others, or send its mail. */
const NOT_READ = { HOST: 'localhost', PUBLIC_URL: '', TRUST_PROXY: '', SMTP_URL: '' };

/** What is read by the first start alone. */
const OF_FIRST_START = ['INITIAL_SUPPLY', 'COMPLETE_AFTER'];

/** The emulator's own. Beside a real database or a real chain it does not start. */
const NOT_HERE = [
  'DATABASE_URL',
  'CHAIN_RPC_URL',
  'MASTER_KEY',
  'MASTER_KEY_FILE',
  'MASTER_KEY_COMMAND',
  'RECOVERY_KIT_FILE',
];

/** Starts the service as a throwaway. Nothing of it is left when it has stopped. Throws if a setting names a real database, chain or key. */
export async function openEmulator({ env, house, port, lan, seed }: EmulatorOptions): Promise<Emulator> {
  const real = NOT_HERE.filter((name) => env[name]);
  if (real.length > 0)
    throw new Error(`The emulator brings its own database, chain and key: unset ${real.join(', ')}.`);
  const time = moveTime();
  const randomness = openRandomness(seed);
  const first = { env, house, time, randomness };
  const prepared = await findPrepared(
    OF_FIRST_START.map((name) => env[name] ?? ''),
    (folder) => prepare({ ...first, folder }),
  );
  const { path: folder, remove } = await makeThrowawayFolder(join(temporaryFolder(), 'quarters-emulator-'));
  const closers = newClosers();
  await closers.opened(remove);
  try {
    const { world, outcomes, deliveries } = await start({ ...first, folder, port, lan, prepared }, closers);
    const { openSnapshots } = await import('./snapshots.ts');
    const snapshots = await openSnapshots(world);
    const calls = watchCalls(world);
    const reset = async (to?: string) => {
      snapshots.check(to);
      outcomes.forget();
      // What was held would be sent first, of a state that goes.
      await deliveries.without(() => {
        deliveries.forget();
        return snapshots.goBackTo(to);
      });
      calls.forget();
      return undefined;
    };
    return { world, snapshots, calls, outcomes, deliveries, url: world.service.publicUrl, reset, stop: closers.close };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Linux's file system in memory. A copy of a database takes a tenth of the work there. */
const IN_MEMORY = '/dev/shm';
/** Far more than the database of a test takes. */
const NEEDED_BYTES = 2 * 1024 ** 3;

export function temporaryFolder(): string {
  if (process.env.TMPDIR) return tmpdir();
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES) return IN_MEMORY;
  } catch {
    // There is none.
  }
  return tmpdir();
}

const newClosers = () => openClosers((error) => process.stderr.write(`${(error as Error).message}\n`));

type Start = Pick<EmulatorOptions, 'env' | 'house'> & {
  readonly folder: string;
  readonly port?: number;
  readonly lan?: LanPlace | undefined;
  readonly time: MovedTime;
  readonly randomness: Randomness;
  readonly prepared?: Prepared;
};

async function start(
  { env, house, folder, prepared, time, randomness, lan, ...given }: Start,
  closers: Closers,
): Promise<Pick<Emulator, 'world' | 'outcomes' | 'deliveries'>> {
  const port = given.port || (await freePort());
  const settings = readSettings({
    ...DEFAULTS,
    ...env,
    ...NOT_READ,
    ...lan,
    PORT: String(port),
    QUARTERS_DATA_DIR: folder,
    MASTER_KEY,
  });
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const opening = openEmulatorParts(folder, prepared ?? null, closers, resolve);
  opening.catch(() => resolve());
  await started;
  // Most of a second, in which this process hears of nothing else. Meanwhile the database and the node get ready.
  const { openWorld } = await import('./world.ts');
  const { openInterventions } = await import('./interventions.ts');
  const parts = await opening;
  const { ownHouse, startIn, ...interventions } = openInterventions(house);
  const place = { settings, house: ownHouse, port, time, randomness, log: await openLog(settings) };
  const world = await openWorld(place, parts, closers);
  await closers.opened(async () => interventions.deliveries.forget());
  startIn(world);
  return { world, ...interventions };
}

/** What a first start leaves behind. */
async function prepare(first: Start): Promise<{ chainState: Buffer; block: number }> {
  const closers = newClosers();
  try {
    const { world } = await start(first, closers);
    const { service, settled, dumpChain, blocks } = world;
    await settled();
    await blocks.stop();
    const block = Number(await service.rpc.call<string>('eth_blockNumber', []));
    const chainState = await dumpChain();
    // A node that loads it has the state of this block, and of none before. So the ledger follows up to this one.
    await blocks.mine(service.settings.completeAfter - 1);
    await settled();
    return { chainState, block };
  } finally {
    await closers.close();
  }
}
