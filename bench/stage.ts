import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Child, startChild } from '../local/child.ts';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import { freePort } from '../src/api/listen.ts';
import { toQuantity } from '../src/chain/rpc.ts';
import { type BenchChain, startChain } from './chain.ts';
import { type Load, startLoad } from './load.ts';
import type { Payer, Person } from './load-flows.ts';
import { type ProcessorTime, readProcessorTime } from './processor-time.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const READY_WITHIN_MS = 120_000;

/** What differs from the defaults in every run: limits that protect an installation from callers like ours. */
export const SERVICE_SETTINGS = {
  RATE_LIMIT_PER_SECOND: '0',
  RATE_LIMIT_PER_ADDRESS: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '0',
  MAX_BACKLOG: '1000000',
  MAX_BACKLOG_PER_APP: '1000000',
  IN_FLIGHT_WINDOW: '20000',
  GUESTS_PER_DAY: '1000000000',
  MAX_PENDING_REQUESTS: '100000',
  ACCESS_LOG: 'off',
  AUDIT_EVERY_SECONDS: '0',
};

/** The whole service as an operator runs it, in processes of its own, on its own database and chain. */
export type Stage = {
  readonly port: number;
  readonly chain: BenchChain;
  readonly database: pg.Client;
  readonly databaseUrl: string;
  readonly load: Load;
  readonly servicePid: number;
  /** Processor time by `service`, `postgres`, `node` and `load`. */
  processorTime(): ProcessorTime;
  /** Runs one command of the service's own command line; resolves with its JSON. */
  command<Answer>(...args: readonly string[]): Promise<Answer>;
  /** An app with quarters in its account, and `users` guests of it. */
  createPayer(users: number): Promise<Payer & { readonly appId: string; readonly people: readonly Person[] }>;
  stop(): Promise<void>;
};

export async function startStage(settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-bench-'));
  // For root, PostgreSQL runs as another user, who has to pass here. Otherwise it would put its cluster elsewhere and leave it there.
  chmodSync(folder, 0o711);
  const closers: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  };
  try {
    return { ...(await open(folder, settings, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  folder: string,
  settings: Readonly<Record<string, string>>,
  closers: (() => Promise<unknown> | unknown)[],
): Promise<Omit<Stage, 'stop'>> {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const postgres = await startEmbeddedPostgres({ dataDir });
  closers.push(postgres.stop);
  const chain = await startChain(join(folder, 'chain'));
  closers.push(chain.stop);
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    ...SERVICE_SETTINGS,
    ...settings,
    DATABASE_URL: postgres.url,
    CHAIN_RPC_URL: chain.url,
    QUARTERS_DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    PUBLIC_URL: `http://localhost:${port}`,
  };
  const service = await startService(env, chain);
  closers.push(service.stop);
  const load = await startLoad();
  closers.push(load.stop);
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  closers.push(() => database.end());
  const {
    rows: [own],
  } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');

  const command = <Answer>(...args: readonly string[]) => runCommand<Answer>(args, env);
  const groups = {
    service: [service.pid],
    postgres: [postmasterOf(own!.pid)],
    node: [chain.pid],
    load: [load.pid],
  };
  return {
    port,
    chain,
    database,
    databaseUrl: postgres.url,
    load,
    servicePid: service.pid,
    processorTime: () => readProcessorTime(groups),
    command,
    async createPayer(users) {
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

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts the service. Its first start names the accounts that need ether, as an operator reads it, and gets it. */
async function startService(env: Environment, { rpc }: BenchChain): Promise<Child> {
  for (let tries = 1; ; tries++) {
    const service = await startChild({ command: process.execPath, args: [MAIN, 'start'], env });
    if (await becomesReady(service, Number(env.PORT))) return service;
    const output = service.lastOutput();
    const unfunded = /have no ether: ([^.]+)\./.exec(output)?.[1]?.split(', ');
    if (!unfunded || tries > 1) throw new Error(`The service did not start: ${output}`);
    for (const address of unfunded) await rpc.call('anvil_setBalance', [address, toQuantity(10n ** 24n)]);
  }
}

async function becomesReady(service: Child, port: number): Promise<boolean> {
  let ended = false;
  void service.exited.then(() => {
    ended = true;
  });
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline && !ended; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}

async function runCommand<Answer>(args: readonly string[], env: Environment): Promise<Answer> {
  let text = '';
  const child = await startChild({
    command: process.execPath,
    args: [MAIN, ...args],
    // The log would share the output with the answer.
    env: { ...env, LOG_LEVEL: 'silent' },
    onOutput(output) {
      text += output;
    },
  });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`quarters ${args.join(' ')}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** Resolves when the issued quarters are posted. */
async function untilSpendable(
  port: number,
  app: { readonly address: string; readonly serverKey: string },
): Promise<void> {
  const headers = { authorization: `Bearer ${app.serverKey}` };
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await delay(100)) {
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
