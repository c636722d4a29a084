import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import { freePort } from '../src/http/listen.ts';
import { type BenchChain, startChain } from './chain.ts';
import { type Load, startLoad } from './load.ts';
import type { Payer, Person } from './load-flows.ts';
import { type ProcessorTime, readProcessorTime } from './processor-time.ts';
import { runCommand, startService } from './service-process.ts';

const SPENDABLE_WITHIN_MS = 120_000;

/** What differs from the defaults in every run: what protects an installation from callers like ours, and from its node. */
const SERVICE_SETTINGS = {
  RATE_LIMIT_PER_SECOND: '0',
  RATE_LIMIT_PER_ADDRESS: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '0',
  MAX_BACKLOG: '1000000',
  MAX_BACKLOG_PER_APP: '1000000',
  GUESTS_PER_DAY: '1000000000',
  MAX_PENDING_REQUESTS: '100000',
  ACCESS_LOG: 'off',
  AUDIT_EVERY_SECONDS: '0',
  // As on the embedded chain. This node takes a time for a block's receipts that grows with the square of their number.
  CHAIN_PROOF: 'node',
};

/** The whole service as an operator runs it, in processes of its own, on its own database and chain. */
export type Stage = {
  readonly port: number;
  readonly chain: BenchChain;
  readonly database: pg.Client;
  readonly databaseUrl: string;
  readonly load: Load;
  servicePid(): number;
  /** Starts one more process of the service on the same database and chain. */
  startAnother(): Promise<{ readonly port: number; readonly load: Load }>;
  /** Kills the service, and starts it again, from now on with these settings too. Resolves to the milliseconds until it is ready. */
  restart(settings?: Readonly<Record<string, string>>): Promise<number>;
  /** Kills the service, and starts it on another database, which knows less than the chain. `prepare` is called in between. */
  restartOn(databaseUrl: string, prepare: () => Promise<unknown>): Promise<void>;
  /** The settings of the service. */
  env(): Readonly<Record<string, string | undefined>>;
  /** Processor time by `service`, `postgres`, `node` and `load`. */
  processorTime(): ProcessorTime;
  /** Runs one command of the service's own command line; resolves with its JSON. */
  command<Answer>(...args: readonly string[]): Promise<Answer>;
  /** An app with quarters in its account, and `users` guests of it. */
  createPayer(users: number): Promise<Payer & { readonly appId: string; readonly people: readonly Person[] }>;
  stop(): Promise<void>;
};

export type StageParts = {
  /** The address of the database for the service, given the real one. Closed with the stage. */
  readonly proxy?: (databaseUrl: string) => Promise<{ readonly url: string; stop(): unknown }>;
  /** Starts another chain than the usual one. `folder`: a new one. */
  readonly chain?: (folder: string) => Promise<BenchChain>;
};

export async function startStage(
  settings: Readonly<Record<string, string>> = {},
  parts: StageParts = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-bench-'));
  // For root, PostgreSQL runs as another user, who has to pass here. Otherwise it would put its cluster elsewhere and leave it there.
  chmodSync(folder, 0o711);
  const closers: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  };
  try {
    return { ...(await open(folder, settings, parts, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  folder: string,
  settings: Readonly<Record<string, string>>,
  { proxy, chain: otherChain }: StageParts,
  closers: (() => Promise<unknown> | unknown)[],
): Promise<Omit<Stage, 'stop'>> {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const postgres = await startEmbeddedPostgres({ dataDir });
  closers.push(postgres.stop);
  const chain = await (otherChain ?? startChain)(join(folder, 'chain'));
  closers.push(chain.stop);
  const seen = await proxy?.(postgres.url);
  if (seen) closers.push(seen.stop);
  const port = await freePort();
  const env = {
    ...SERVICE_SETTINGS,
    ...settings,
    ...environment(dataDir, port),
    DATABASE_URL: seen?.url ?? postgres.url,
    CHAIN_RPC_URL: chain.url,
  };
  let service = await startService(env, chain);
  closers.push(() => service.stop());
  const load = await startLoad();
  closers.push(load.stop);
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  closers.push(() => database.end());
  const {
    rows: [own],
  } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');

  const command = <Answer>(...args: readonly string[]) => runCommand<Answer>(args, env);
  const others: { readonly service: number; readonly load: number }[] = [];
  const groups = () => ({
    service: [service.pid, ...others.map((other) => other.service)],
    postgres: [postmasterOf(own!.pid)],
    node: [chain.pid],
    load: [load.pid, ...others.map((other) => other.load)],
  });
  return {
    port,
    chain,
    database,
    databaseUrl: postgres.url,
    load,
    servicePid: () => service.pid,
    async startAnother() {
      const dataDir = join(folder, `data-${others.length}`);
      const another = {
        ...env,
        ...environment(dataDir, await freePort()),
        MASTER_KEY_FILE: join(env.QUARTERS_DATA_DIR, 'master.key'),
      };
      const second = await startService(another, chain);
      closers.push(second.stop);
      const itsLoad = await startLoad();
      closers.push(itsLoad.stop);
      others.push({ service: second.pid, load: itsLoad.pid });
      return { port: Number(another.PORT), load: itsLoad };
    },
    env: () => env,
    async restart(more = {}) {
      Object.assign(env, more);
      process.kill(service.pid, 'SIGKILL');
      await service.exited;
      const began = performance.now();
      service = await startService(env, chain);
      return performance.now() - began;
    },
    async restartOn(databaseUrl, prepare) {
      process.kill(service.pid, 'SIGKILL');
      await service.exited;
      await prepare();
      env.DATABASE_URL = databaseUrl;
      service = await startService(env, chain, true);
    },
    processorTime: () => readProcessorTime(groups()),
    command,
    async createPayer(users) {
      await untilSupplied(database);
      const made = await command<{ id: string; address: string; serverKey: string }>(
        ...['apps', 'create', '--name', 'Bench', '--auto-approve', '--json'],
      );
      await command('issue', made.id, '1000000000', '--json');
      const data = { serverKey: made.serverKey };
      const { kept } = await load.run({ port, flow: 'guest', data, connections: 16, turns: users, keep: true });
      const people = kept.map((text) => JSON.parse(text) as Person);
      await untilSpendable(port, made);
      const { id: appId, address } = made;
      return { appId, address, serverKeys: [made.serverKey], users: people.map(({ userId }) => userId), people };
    },
  };
}

/** What differs between processes of one service. */
function environment(dataDir: string, port: number) {
  return {
    PATH: process.env.PATH,
    QUARTERS_DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    PUBLIC_URL: `http://localhost:${port}`,
  };
}

/** Resolves when the first supply is posted, of which an issue is a part. */
async function untilSupplied(database: pg.Client): Promise<void> {
  for (const deadline = Date.now() + SPENDABLE_WITHIN_MS; Date.now() < deadline; await delay(100)) {
    const { rows } = await database.query(`SELECT FROM accounts WHERE kind = 'treasury' AND posted > 0`);
    if (rows.length > 0) return;
  }
  throw new Error('The first supply was not posted.');
}

/** Resolves when the issued quarters are posted. */
async function untilSpendable(
  port: number,
  app: { readonly address: string; readonly serverKey: string },
): Promise<void> {
  const headers = { authorization: `Bearer ${app.serverKey}` };
  for (const deadline = Date.now() + SPENDABLE_WITHIN_MS; Date.now() < deadline; await delay(100)) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/accounts/${app.address}/balance`, { headers });
    const [balance] = (await answer.json()) as [{ quarters?: string }?];
    if (Number(balance?.quarters) > 0) return;
  }
  throw new Error('The issued quarters were not posted.');
}

/** The parent of each of its backends. */
function postmasterOf(backend: number): number {
  return Number(
    readFileSync(`/proc/${backend}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[1],
  );
}
