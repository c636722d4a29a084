import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { connectRpc } from '../../src/chain/rpc.ts';
import type { Settings } from '../../src/config/settings.ts';
import { listen } from '../../src/http/listen.ts';
import { type Jobs, startJobs } from '../../src/jobs/jobs.ts';
import { readCursor } from '../../src/ledger/blocks.ts';
import { enterDatabase } from '../../src/membership/membership.ts';
import { openService } from '../../src/process/open-service.ts';
import type { Closers } from '../../src/process/shutdown.ts';
import { createSite } from '../../src/process/site.ts';
import type { House } from '../../src/service/house.ts';
import type { Log, Service } from '../../src/service/service.ts';
import { markStarted } from '../../src/settlement/readiness.ts';
import { giveEther } from '../parts.ts';
import { type Blocks, makeBlocks } from './blocks.ts';
import { bringBackMemory, type KeptMemory, keepMemory } from './kept-memory.ts';
import type { MovedTime } from './moved-time.ts';
import type { EmulatorParts } from './parts.ts';
import { Refused } from './refused.ts';
import type { Randomness } from './seeded.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The service of an emulator, which is the same as in production, with what the emulator can do to it. */
export type World = EmulatorParts & {
  readonly service: Service;
  readonly time: MovedTime;
  readonly randomness: Randomness;
  readonly blocks: Blocks;
  /** What answers the calls of the public port. */
  readonly site: FastifyInstance;
  /** Lets every loop run. Resolves when none has anything left to do. */
  turn(): Promise<void>;
  /** The same for the loops that bring payments to the chain and follow it. */
  follow(): Promise<void>;
  /** The same for the loop that sends webhooks. */
  deliver(): Promise<void>;
  /** What has to be done before payments are settled. Each resolves with true if the payments have changed by it. */
  readonly beforeSettled: (() => Promise<boolean>)[];
  /** Resolves when no payment is on its way and the ledger has the newest block. Throws if that cannot come about. */
  settled(): Promise<void>;
  /** What each call of the public port goes through first. */
  readonly onCall: ((request: IncomingMessage, response: ServerResponse, handle: Handle) => void)[];
  /** Stops calls and loops, lets `work` change what is stored, and goes on with the memory that it returns. */
  whileStopped(work: () => Promise<KeptMemory>): Promise<void>;
  memory(): KeptMemory;
  /** The newest block that a snapshot goes back to. The node cannot once a reorganisation has replaced it. */
  readonly newestKept: { block: number };
};

export type WorldPlace = Pick<World, 'time' | 'randomness'> & {
  readonly settings: Settings;
  readonly house: House;
  readonly log: Log;
  readonly port: number;
};

/** Opens the service on its parts and lets it listen. */
export async function openWorld(
  { settings, house, log, port, time, randomness }: WorldPlace,
  parts: EmulatorParts,
  closers: Closers,
): Promise<World> {
  const blocks = makeBlocks(parts.rpc, time.now, settings.completeAfter);
  await closers.opened(blocks.stop);
  await blocks.setMode('instant');
  const { self, handOver, leave } = await enterDatabase(parts.databaseUrl);
  await closers.opened(leave);
  const opened = await openService(
    settings,
    {
      house,
      self,
      databaseUrl: parts.databaseUrl,
      rpcUrls: [parts.gate.url],
      onSent: blocks.wake,
      publicUrl: settings.publicUrl ?? `http://localhost:${port}`,
      development: true,
    },
    log,
    giveEther(connectRpc([parts.gate.url])),
  );
  const { service } = opened;
  await closers.opened(opened.close);
  let jobs = await startJobs(service);
  await closers.opened(() => jobs.stop());
  await handOver();
  await closers.opened(opened.drained);
  const site = await createSite(service);
  await closers.opened(() => endSite(site));
  const gate = callGate(site);
  const beforeSettled: World['beforeSettled'] = [];
  await listen(site, { host: settings.host, port, setting: 'PORT' });
  markStarted(service);
  return {
    ...parts,
    service,
    time,
    randomness,
    blocks,
    site,
    onCall: gate.onCall,
    turn: () => jobs.turn(),
    follow: () => jobs.settle(),
    deliver: () => jobs.deliver(),
    beforeSettled,
    async settled() {
      if (!parts.gate.isOpen) throw new Refused('The chain is down: bring it up first.');
      await settle(service, beforeSettled, () => jobs, blocks);
    },
    memory: () => keepMemory(service),
    newestKept: { block: 0 },
    whileStopped: (work) =>
      gate.closedDuring(async () => {
        await opened.drained();
        await jobs.stop();
        try {
          bringBackMemory(service, await blocks.alone(work));
        } finally {
          jobs = await startJobs(service);
        }
      }),
  };
}

async function endSite(site: FastifyInstance): Promise<void> {
  site.server.closeAllConnections();
  await site.close();
}

/** Where every call of the public port passes before the service has it. */
function callGate(site: FastifyInstance) {
  const onCall: World['onCall'] = [];
  const handlers = site.server.listeners('request') as Handle[];
  const handle: Handle = (...call) => {
    for (const one of handlers) one(...call);
  };
  const underWay = new Set<ServerResponse>();
  let isOpen = Promise.resolve();
  const pass: Handle = (request, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    const first = onCall.reduceRight<Handle>(
      (next, one) =>
        (...call) =>
          one(...call, next),
      handle,
    );
    first(request, response);
  };
  site.server.removeAllListeners('request');
  site.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void isOpen.then(() => pass(request, response));
  });
  return {
    onCall,
    /** New calls wait until `work` is done. Calls under way have a moment to end, then they are cut off. */
    async closedDuring(work: () => Promise<void>): Promise<void> {
      const before = isOpen;
      const { promise, resolve } = Promise.withResolvers<void>();
      isOpen = promise;
      try {
        await before;
        await endOf(underWay);
        await work();
      } finally {
        resolve();
      }
    },
  };
}

const CALLS_END_WITHIN_MS = 1_000;

async function endOf(calls: ReadonlySet<ServerResponse>): Promise<void> {
  const ends = [...calls].map((call) => new Promise((resolve) => call.once('close', resolve)));
  const cut = setTimeout(() => {
    for (const call of calls) call.destroy();
  }, CALLS_END_WITHIN_MS);
  // A stream of progress never ends by itself.
  for (const call of calls) if (String(call.getHeader('content-type')).startsWith('text/event-stream')) call.destroy();
  await Promise.all(ends);
  clearTimeout(cut);
}

const MOST_TURNS = 200;
/** Longer than the pause before a payment whose transaction reverted gets another one. */
const LEAST_MS = 2_500;

async function settle(
  service: Service,
  before: World['beforeSettled'],
  jobs: () => Jobs,
  blocks: Blocks,
): Promise<void> {
  const giveUpAt = performance.now() + LEAST_MS;
  for (let turns = 0; turns < MOST_TURNS || performance.now() < giveUpAt; turns++) {
    if ((await isSettled(service)) && !(await Promise.all(before.map((one) => one()))).includes(true)) return;
    // Nobody waits for the next one: it comes early.
    if (typeof blocks.mode() === 'number') await blocks.mine(1);
    if (turns > 0) await jobs().settle();
    else {
      // Most payments need no more than this.
      await blocks.madeAfter(jobs().send());
      await jobs().follow();
    }
  }
  throw new Refused(
    'Payments are still on their way. Are blocks made, does the service pay their fees, and does the clock run?',
  );
}

async function isSettled({ db, rpc, settings, readiness }: Service): Promise<boolean> {
  if (readiness.compared !== 'done') return false;
  const [open, cursor, head] = await Promise.all([
    db.query('SELECT FROM open_transfers LIMIT 1'),
    readCursor(db),
    rpc.call<string>('eth_blockNumber', []),
  ]);
  return (
    open.length === 0 && cursor?.complete === true && cursor.number >= BigInt(head) - BigInt(settings.completeAfter - 1)
  );
}
