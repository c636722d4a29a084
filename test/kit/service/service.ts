import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { startMining } from '../../../local/anvil/mining.ts';
import { giveEther } from '../../../local/parts.ts';
import type { AppId } from '../../../src/base/ids.ts';
import { asQuarters } from '../../../src/base/quarters.ts';
import { connectRpc } from '../../../src/chain/rpc.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { createApp } from '../../../src/features/apps/create-app.ts';
import { createGuest, type NewGuest } from '../../../src/features/guests/create-guest.ts';
import { issueQuarters } from '../../../src/features/payments/issue-quarters.ts';
import { freePort } from '../../../src/http/listen.ts';
import type { NewApp } from '../../../src/identity/apps.ts';
import { startJobs } from '../../../src/jobs/jobs.ts';
import { openService } from '../../../src/process/open-service.ts';
import { createSite } from '../../../src/process/site.ts';
import type { House } from '../../../src/service/house.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import type { Log, Service } from '../../../src/service/service.ts';
import { markStarted } from '../../../src/settlement/readiness.ts';
import { atEnd, type Ending } from '../unit/at-end.ts';
import { asApp } from '../unit/callers.ts';
import { assertAsDescribed, validateResponses } from '../unit/response-validator.ts';
import { routesOf } from '../unit/routes.ts';
import { until } from '../unit/until.ts';
import { createDatabase } from './database.ts';
import { type Evm, startEvm } from './evm.ts';
import { HOUSE, houseWith } from './house.ts';
import { isSettled, unsettled } from './settled.ts';
import { findSnapshot, type Snapshot } from './snapshot.ts';

export type TestApp = { readonly id: AppId; readonly address: `0x${string}`; readonly serverKey: string };

export type TestService = {
  readonly service: Service;
  /** API and pages, for `inject`. */
  readonly app: FastifyInstance;
  /** The routes of `app`, in the order of their registration. */
  readonly routes: readonly RouteOptions[];
  /** The listening server: `http://localhost:<port>`. */
  readonly origin: string;
  readonly evm: Evm;
  readonly databaseUrl: string;
  createApp(options?: Partial<NewApp>): Promise<TestApp>;
  createGuest(app: TestApp): Promise<NewGuest>;
  /** Issues quarters from the treasury; resolves when they are posted. */
  issue(recipient: string, amount: number): Promise<void>;
  /** Resolves when no transfer is on its way and the ledger is at the chain's head. */
  settled(): Promise<void>;
  /** Stops it cleanly before the test ends: another one may continue with its database. */
  stop(): Promise<void>;
};

const SILENT: Log = { info() {}, warn() {}, error() {} };

type Options = {
  env?: Record<string, string>;
  /** As the setting WINGS. */
  wings?: string;
  /** In place of the wings of `src/wings.ts`. */
  house?: House;
  /** The origin for players; by default the listening one. */
  publicUrl?: string;
  /** In development mode. */
  development?: true;
  log?: Log;
  /** A node that the test runs and mines, and how the service reaches it. */
  chain?: { readonly evm: Evm; readonly rpcUrls: readonly string[]; readonly snapshot?: Snapshot | null };
  /** A database that the test has created. */
  databaseUrl?: string;
  /** The data folder, for services that follow one another. Left out: one of its own. */
  dataDir?: string;
  /** Of the pool of the database. Left out: as many as the program has. */
  maxConnections?: number;
  /** False if it cannot settle at its start because its node is down. */
  settles?: boolean;
};

/** The complete service, in this process, on its own database and chain. Ends with the test. */
export async function startTestService(t: Ending, options: Options = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? newDataDir(t);
  const snapshot = options.chain ? options.chain.snapshot : findSnapshot(options.env);
  const databaseUrl = options.databaseUrl ?? (await createDatabase(t, snapshot?.database));
  const mined = options.chain ? null : await startMinedEvm(t, snapshot?.chainState);
  const evm = options.chain?.evm ?? mined!.evm;

  const settings = readSettings({
    QUARTERS_DATA_DIR: dataDir,
    ...(snapshot && { MASTER_KEY: snapshot.masterKey }),
    CHAIN_POLL_MS: '60',
    CHAIN_IDLE_POLL_MS: '500',
    IN_FLIGHT_WINDOW: '1000',
    // Tests call from one address, as fast as they can.
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_PER_ADDRESS: '0',
    ...options.env,
  });
  // The port must be known before the service is built, because it is part of the pages' origin.
  const reserved = await reservePort();
  const origin = `http://localhost:${reserved.port}`;
  const opened = await openService(
    settings,
    {
      house: options.house ?? (options.wings === undefined ? HOUSE : houseWith(options.wings)),
      databaseUrl,
      rpcUrls: options.chain?.rpcUrls ?? [evm.url],
      ...(mined && { onSent: mined.wake }),
      publicUrl: options.publicUrl ?? origin,
      development: options.development ?? false,
      ...(options.maxConnections && { maxConnections: options.maxConnections }),
    },
    options.log ?? SILENT,
    giveEther(connectRpc([evm.url])),
  );
  const { service } = opened;
  const { started: app, routes } = await routesOf(() => createSite(service));
  await validateResponses(app);
  atEnd(t, () => assertAsDescribed(app));
  await reserved.release();
  await app.listen({ port: reserved.port, host: 'localhost' });
  const jobs = await startJobs(service);
  let stopped: Promise<void> | undefined;
  const stopInOrder = async () => {
    await app.close();
    await opened.drained();
    await jobs.stop();
    await opened.close();
  };
  const stop = () => {
    stopped ??= stopInOrder();
    return stopped;
  };
  atEnd(t, stop);

  const settled = () =>
    until(
      'all transfers settled',
      () => isSettled(service),
      () => unsettled(service),
    );
  if (options.settles ?? true) {
    // Until then nothing is accepted, unless the database was left in order. A database from a snapshot is settled before.
    await until('the database is compared with the chain', () => service.readiness.compared === 'done');
    await settled();
  }
  markStarted(service);
  return {
    service,
    stop,
    app,
    routes,
    origin,
    evm,
    databaseUrl,
    settled,
    async createApp(app = {}) {
      const created = await createApp(service, OPERATOR, { name: 'Test Game', ...app });
      return { id: created.app.id, address: created.address, serverKey: created.serverKey };
    },
    createGuest: (app) => createGuest(service, asApp(app.id)),
    async issue(recipient, amount) {
      await issueQuarters(service, { recipient, amount: asQuarters(amount) });
      await settled();
    },
  };
}

/** Removed with the test. */
export function newDataDir(t: Ending): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-test-'));
  atEnd(t, () => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function startMinedEvm(t: Ending, state: string | undefined): Promise<{ evm: Evm; wake(): void }> {
  // Blocks as on the embedded chain, only faster: anvil's automatic mining loses transactions of concurrent senders.
  const evm = await startEvm({ args: ['--no-mining'], state });
  atEnd(t, () => evm.stop());
  const mining = startMining(connectRpc([evm.url]), 40, { idleMs: 1_000 });
  atEnd(t, () => mining.stop());
  return { evm, wake: mining.wake };
}

/** A free port, held until `release`, because a concurrent test may choose the same. */
async function reservePort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  for (;;) {
    const port = await freePort();
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    // If the start fails before the release, this keeps no process alive.
    server.unref();
    return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
  }
}
