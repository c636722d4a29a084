import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectRpc } from '../../../src/chain/rpc.ts';
import { atEnd, type Ending } from '../unit/at-end.ts';
import { seededRandom } from '../unit/crash-random.ts';
import { type FaultProxy, startFaultProxy } from '../unit/fault-proxy.ts';
import { type FaultyChain, startFaultyChain } from './chain-faults.ts';
import { type ChainObserver, openChainObserver } from './chain-observer.ts';
import { type Gate, openGate } from './crash-gate.ts';
import { seedGames } from './crash-seeding.ts';
import type { ServiceProcess } from './crash-service.ts';
import { openWorld, type World } from './crash-world.ts';
import { type EventReader, openEventReader } from './event-reader.ts';
import { startEvm } from './evm.ts';
import type { Call } from './load-calls.ts';
import type { LoadClient, LoadMix } from './load-client.ts';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { newDataDir } from './service.ts';

const MOVED_CLOCK = new URL('../../crash/moved-clock.ts', import.meta.url).href;
const GUESTS = 60;
/** No two payments have the same amount, so a million of them take much. */
const APP_HAS = 2_000_000_000_000_000;
const WORKERS = 24;
const READ_EVERY_MS = 500;
/** In memory, each state is a copy of all. The program looks back 32 blocks. */
const STATES_KEPT = 40;

/** Most payments are lines, as in a game with many players. They cost callers least. */
const MIX: LoadMix = { pay: 20, bulk: 5, approve: 2, decline: 1, auto: 3, refund: 2, lines: 100 };

const SETTINGS = {
  TRANSFERS_PER_TRANSACTION: '50',
  CHAIN_POLL_MS: '250',
  // A fault that lasts for minutes ends no request.
  REQUEST_TTL_SECONDS: '86400',
  MAX_PENDING_REQUESTS: '100000',
  AUDIT_EVERY_SECONDS: '0',
  INITIAL_SUPPLY: '8000000000000000',
  AUTO_APPROVE_PER_TRANSFER: '9000000000000',
  AUTO_APPROVE_PER_DAY: '9000000000000',
  ACCESS_LOG: 'off',
};

/** A database copy that may replace the database. `at`: how many payments had been accepted when it was made. */
export type SavedCopy = { readonly at: number; readonly copy: Awaited<ReturnType<OwnPostgres['backUp']>> };

/** Service processes on a database and a chain that can both fail, under a load that can be stopped. */
export type SoakStage = {
  readonly world: World;
  readonly chain: FaultyChain;
  /** What the processes take for two nodes. */
  readonly endpoints: readonly FaultProxy[];
  readonly gate: Gate;
  readonly client: LoadClient;
  readonly observer: ChainObserver;
  readonly services: ServiceProcess[];
  readonly copies: SavedCopy[];
  /** What was accepted and not mined when a database was lost, and cannot be repeated: it is paid once, if a pool had it, or never. */
  readonly lost: Set<Call>;
  /** Whether the last restore has left payments in a pool. */
  readonly awaited: { fromPool: boolean };
  /** One for each app. */
  readonly readers: readonly EventReader[];
  readonly database: OwnPostgres;
  /** From now on this is the database. Connections to the one before are cut. */
  useDatabase(next: OwnPostgres): void;
  /** Puts the wall clock of a process so far ahead of the true one. */
  moveClock(seat: number, aheadMs: number): void;
  /** The load asks no more than so many payments in all. */
  allowPayments(accepted: number): void;
  startLoad(): void;
  /** Resolves when the last call has ended. */
  stopLoad(): Promise<void>;
  /** Throws what the load, or a reader of events, has found. */
  throwFault(): void;
  /** Starts these again. */
  restart(seats: readonly number[]): Promise<void>;
};

/** `env`: further settings of the processes. */
export async function openSoakStage(
  t: Ending,
  { seed, processes, env = {} }: { seed: number; processes: number; env?: Record<string, string> },
): Promise<SoakStage> {
  let database = await startOwnPostgres(t);
  const [gate, operators] = [await openGate(database.port), await openGate(database.port)];
  atEnd(t, () => gate.close());
  atEnd(t, () => operators.close());
  const keeping = { states: STATES_KEPT, transactions: 10_000_000 };
  const node = await startEvm({ args: ['--no-mining', '--gas-limit', '4000000000'], keeping });
  const chain = await startFaultyChain(t, { seed, node, blockMs: 200, rests: true });
  const endpoints = [chain.proxy, await startFaultProxy(t, node.url, seed + 1)];
  const folder = newDataDir(t);
  const through = ({ port }: Gate) => Object.assign(new URL(database.url), { port: `${port}` }).href;
  const world = await openWorld(through(gate), {
    operatorUrl: through(operators),
    chain,
    env: {
      ...SETTINGS,
      RELAYERS: `${2 * processes}`,
      CHAIN_RPC_URL: endpoints.map(({ url }) => url).join(),
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${MOVED_CLOCK}`,
      ...env,
    },
  });
  atEnd(t, () => world.close());
  const clockOf = (seat: number) => join(folder, `clock-${seat}`);
  const start = (seat: number) => world.startReady({ seat, env: { CLOCK_FILE: clockOf(seat) } });
  const services = [await start(0)];
  while (services.length < processes) services.push(await start(services.length));
  const { client, observer, readers } = await seedLoad(world, services[0]!, seed);

  const origins: string[] = [];
  // The client picks from this list at each call, as a proxy does that has not noticed yet.
  const route = () => origins.splice(0, origins.length, ...services.map(({ origin }) => origin));
  route();
  let allowed = Number.POSITIVE_INFINITY;
  let fault: { readonly error: unknown } | null = null;
  let load: { ending: AbortController; running: Promise<void> } | null = null;
  // A soak that fails leaves it running.
  atEnd(t, async () => load?.ending.abort());
  const stage: SoakStage = {
    ...{
      world,
      chain,
      endpoints,
      gate,
      client,
      observer,
      readers,
      services,
      copies: [],
      lost: new Set(),
      awaited: { fromPool: false },
    },
    get database() {
      return database;
    },
    useDatabase(next) {
      database = next;
      gate.leadTo(next.port);
      operators.leadTo(next.port);
    },
    moveClock: (seat, aheadMs) => writeFileSync(clockOf(seat), `${aheadMs}`),
    allowPayments(accepted) {
      allowed = accepted;
    },
    startLoad() {
      if (load) return;
      const ending = new AbortController();
      const calling = client.run(origins, ending.signal, WORKERS, () => client.accepted < allowed);
      const reading = readers.map(async (reader) => {
        while (!ending.signal.aborted) {
          await reader.readOn(origins[0]!);
          await pause(READ_EVERY_MS);
        }
      });
      const running = Promise.all([calling, ...reading]).then(
        () => {},
        (error) => {
          fault ??= { error };
        },
      );
      load = { ending, running };
    },
    async stopLoad() {
      load?.ending.abort();
      const ended = load?.running;
      load = null;
      await ended;
      stage.throwFault();
    },
    throwFault() {
      if (fault) throw fault.error;
    },
    async restart(seats) {
      // A start waits for the leases of dead processes to expire, unless a running process takes them. If none runs, time is moved: real
      // waiting is tested with two processes.
      if (seats.length === services.length) await world.leasesRunOut();
      await Promise.all(
        seats.map(async (seat) => {
          services[seat] = await start(seat);
        }),
      );
      route();
    },
  };
  return stage;
}

async function seedLoad(world: World, { origin }: ServiceProcess, seed: number) {
  const random = seededRandom(seed);
  const { client, apps } = await seedGames(world, origin, random, { someWithoutKey: true, mix: MIX });
  for (const { id } of apps) await world.issue(id, APP_HAS);
  for (let i = client.guests.length; i < GUESTS; i++) await client.newGuest(origin, apps[i % apps.length]!);
  // A game that has only what its players pay it: most of its payments are refused.
  const poor = await world.createApp();
  for (let i = 0; i < 2; i++) await client.newGuest(origin, poor);
  await world.settled();
  const { db, chain } = await world.operator();
  const [treasury] = await db.query<{ address: string }>(`SELECT address FROM accounts WHERE kind = 'treasury'`);
  const rpc = connectRpc([world.evm.url], { timeoutMs: 60_000 });
  const readers = [...apps, poor].map(openEventReader);
  return { client, readers, observer: openChainObserver(rpc, chain.contracts.token, treasury!.address) };
}
