import type { TestContext } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { freePort } from '../../src/http/listen.ts';
import type { ServiceProcess } from '../kit/service/crash-service.ts';
import { openWorld, type World } from '../kit/service/crash-world.ts';
import { createDatabase } from '../kit/service/database.ts';
import type { TestApp } from '../kit/service/service.ts';
import { findSnapshot } from '../kit/service/snapshot.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type FaultProxy, startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { type DatabaseWay, openDatabaseWay } from './database-way.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/** Far longer than a busy machine needs. Each alert waits for several scrapes. */
export const WITHIN_MS = 20 * 60_000;

/** A service as an operator runs it: a process with its commands, a database and a node that can fail, and Prometheus. */
export type Runbook = Prometheus & {
  readonly world: World;
  readonly databaseUrl: string;
  readonly database: DatabaseWay;
  readonly node: FaultProxy;
  readonly app: TestApp;
  /** A player of the app. */
  readonly guest: {
    readonly userId: string;
    readonly address: string;
    readonly token: string;
    readonly pageToken: string;
  };
  /** Direct access to the database, whatever is cut. */
  db(): Promise<Database>;
  service(): ServiceProcess;
  /** The relayers' addresses, as `/metrics` names them. */
  relayers(): Promise<string[]>;
  /** Stops the service if it runs, and starts it with further settings. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** One call of an app's server: pays the guest. Resolves with the status; 0 without an answer. */
  pay(amount?: number, app?: TestApp): Promise<number>;
  /** Runs `npx quarters …`; resolves with what it printed. */
  quarters(...args: readonly string[]): Promise<string>;
};

/** Resolves when the service is ready, its app has quarters, and no alert is active. */
export async function openRunbook(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  /** A migrated database on a server of the test's own. */
  ownDatabaseUrl?: string,
): Promise<Runbook> {
  const snapshot = ownDatabaseUrl ? null : findSnapshot();
  const databaseUrl = ownDatabaseUrl ?? (await createDatabase(t, snapshot?.database));
  const database = await openDatabaseWay(t, databaseUrl);
  const metricsPort = await freePort();
  const env: Record<string, string> = {
    METRICS_PORT: `${metricsPort}`,
    AUDIT_EVERY_SECONDS: '3',
    WEBHOOK_PRIVATE_TARGETS: 'on',
    ...settings,
  };
  const world = await openWorld(database.url, { env, operatorUrl: databaseUrl, snapshot });
  atEnd(t, () => world.close());
  const node = await startFaultProxy(t, world.evm.url);
  env.CHAIN_RPC_URL = node.url;

  let running = await world.startReady();
  const app = await world.createApp();
  await world.settled();
  await world.issue(app.id, 1_000_000);
  await world.settled();
  const [made] = (await callApp(running.origin, 'POST /v1/new-guest', app)).body as [Record<string, string>];
  const guest = {
    userId: made.user_id!,
    address: made.address!,
    token: made.access_token!,
    pageToken: made.firebase_token!,
  };
  const prometheus = await startPrometheus(t, metricsPort);
  return {
    ...prometheus,
    ...{ world, databaseUrl, database, node, app, guest },
    async relayers() {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return [...text.matchAll(/relayer_ether\{relayer="(0x\w+)"\}/g)].map(([, address]) => address!);
    },
    db: async () => (await world.operator()).db,
    service: () => running,
    async restart(further = {}) {
      await running.stop();
      Object.assign(env, further);
      running = await world.startReady();
    },
    pay: async (amount = 1, payer = app) =>
      callApp(running.origin, `POST /v1/accounts/${payer.address}/transfer`, payer, {
        amount,
        user: guest.userId,
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    quarters: (...args) => world.command(args),
  };
}

async function callApp(origin: string, route: string, app: TestApp, body?: unknown) {
  const [method = '', path] = route.split(' ');
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${app.serverKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}
