/**
 * Lists the files that one transfer passes through: `node scripts/transfer-way.ts`. `--functions` also lists the functions.
 *
 * It starts a whole service in this process and calls `POST /v1/accounts/{address}/transfer`, after another call that warms it up. V8
 * counts the calls of every function (precise coverage). A file counts if one of its functions was called.
 *
 * - Until the answer: the service has no background loop yet, so the request has called everything that is called. The script first
 *   watches a second without a request, and fails if anything is called in it.
 * - Until the webhook was delivered: the loops run, and most of their calls have nothing to do with the transfer. So a function counts
 *   if several transfers have more calls of it than as many pauses of the same length. The chain makes blocks at the same pace in both.
 *   The files until the answer are added. The loops are not quite regular, so the result varies by a few files.
 *
 * Every call of the API passes many of them. So a star marks the files that reading the balance with the same key does not pass.
 *
 * The database and the node are other processes, and this script tells the node when to make a block. Neither is counted.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { giveEther } from '../local/parts.ts';
import { asQuarters } from '../src/base/quarters.ts';
import { connectRpc } from '../src/chain/rpc.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { createApp } from '../src/features/apps/create-app.ts';
import { createGuest } from '../src/features/guests/create-guest.ts';
import { issueQuarters } from '../src/features/payments/issue-quarters.ts';
import { addEndpoint } from '../src/features/webhooks/endpoints.ts';
import { startJobs } from '../src/jobs/jobs.ts';
import { openService } from '../src/process/open-service.ts';
import { createSite } from '../src/process/site.ts';
import { OPERATOR } from '../src/service/managers.ts';
import type { Service } from '../src/service/service.ts';
import { markStarted } from '../src/settlement/readiness.ts';
import { asApp } from '../test/support/callers.ts';
import { type Evm, startEvm } from '../test/support/evm.ts';
import { inDatabase, startTestPostgres, TEMPLATE } from '../test/support/postgres.ts';
import { isSettled } from '../test/support/settled.ts';
import { until } from '../test/support/until.ts';

const ROOT = join(import.meta.dirname, '..');
const BLOCK_EVERY_MS = 40;
const NOTIFIED_AFTER_MS = 200;
const WITHOUT_REQUEST_MS = 1_000;
/** Every loop has run once by then. */
const FIRST_LOOKS_MS = 6_000;
/** All work that a transfer leaves is done by then. */
const CALM_AFTER_MS = 1_500;
const ROUNDS = 12;
/** How many more calls a transfer must have than a pause, on average. A smaller difference may come from irregular loops. */
const MORE_THAN_CHANCE = 0.5;
const SILENT = { info() {}, warn() {}, error() {} };

const { values: flags } = parseArgs({ options: { functions: { type: 'boolean' } } });

/** What the end closes, in reverse order. */
const endings: (() => unknown)[] = [];
try {
  await measure();
} finally {
  for (const end of endings.reverse()) await end();
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-way-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await startTestPostgres();
  endings.push(postgres.stop);
  const databaseUrl = inDatabase(postgres.url, TEMPLATE);
  const evm = await startMinedEvm();
  const settings = readSettings({
    QUARTERS_DATA_DIR: folder,
    MASTER_KEY: randomBytes(32).toString('hex'),
    COMPLETE_AFTER: '2',
    // The same with and without a transfer, so that both read the chain equally often.
    CHAIN_POLL_MS: '200',
    CHAIN_IDLE_POLL_MS: '200',
    WEBHOOK_PRIVATE_TARGETS: 'on',
  });
  const open = async () => {
    const { service, drained, close } = await openService(
      settings,
      { databaseUrl, rpcUrls: [evm.url], publicUrl: 'http://localhost' },
      SILENT,
      giveEther(connectRpc([evm.url])),
    );
    const closeAll = async () => {
      await drained();
      await close();
    };
    return { service, close: closeAll };
  };

  const first = await open();
  const { address, serverKey, userId } = await fill(first.service).finally(first.close);

  const { service, close } = await open();
  endings.push(close);
  const origin = await listen(service);
  const delivered = await countDeliveries(databaseUrl);
  let transfers = 0;
  const pay = async () => {
    const answer = await fetch(`${origin}/v1/accounts/${address}/transfer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${serverKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 1, user: userId }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    transfers++;
  };
  const readBalance = async () => {
    const answer = await fetch(`${origin}/v1/accounts/${address}/balance`, {
      headers: { authorization: `Bearer ${serverKey}` },
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
  };
  const untilDelivered = () => until('the webhook is delivered', async () => (await delivered()) === transfers);

  await pay();
  await readBalance();
  // After the answer, other processes are notified of the transfer.
  await delay(NOTIFIED_AFTER_MS);
  const takeCalls = startCounting();
  await delay(WITHOUT_REQUEST_MS);
  const unasked = [...takeCalls().keys()];
  if (unasked.length > 0) throw new Error(`Called without a request: ${unasked.join(', ')}`);
  await readBalance();
  const reading = new Set([...takeCalls().keys()].map(fileOf));
  await pay();
  const untilAnswer = [...takeCalls().keys()];

  const jobs = await startJobs(service);
  endings.push(jobs.stop);
  await untilDelivered();
  await delay(FIRST_LOOKS_MS);
  const rounds: { readonly transfer: Calls; readonly pause: Calls }[] = [];
  while (rounds.length < ROUNDS) {
    await delay(CALM_AFTER_MS);
    takeCalls();
    const began = performance.now();
    await pay();
    await untilDelivered();
    const transfer = takeCalls();
    const took = performance.now() - began;
    await delay(CALM_AFTER_MS);
    takeCalls();
    await delay(took);
    rounds.push({ transfer, pause: takeCalls() });
  }
  print('Until the answer', untilAnswer, reading);
  print('Until the webhook was delivered', [...untilAnswer, ...moreThanInPauses(rounds)], reading);
}

async function startMinedEvm(): Promise<Evm> {
  const evm = await startEvm({ args: ['--no-mining'] });
  endings.push(evm.stop);
  let isMining = true;
  const mining = (async () => {
    for (; isMining; await delay(BLOCK_EVERY_MS)) await evm.rpc('evm_mine');
  })();
  endings.push(() => {
    isMining = false;
    return mining;
  });
  return evm;
}

/** Creates an app with quarters and a webhook, and a guest. */
async function fill(service: Service) {
  const { app, address, serverKey } = await createApp(service, OPERATOR, { name: 'A Game' });
  const { userId } = await createGuest(service, asApp(app.id));
  const url = await startReceiver();
  await addEndpoint(service, { by: OPERATOR, appId: app.id }, { url, types: null });
  const jobs = await startJobs(service);
  const settle = () => until('everything is settled', () => isSettled(service));
  try {
    await settle();
    await issueQuarters(service, { recipient: app.id, amount: asQuarters(1_000) });
    await settle();
  } finally {
    await jobs.stop();
  }
  return { address, serverKey, userId };
}

async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function listen(service: Service): Promise<string> {
  const http = await createSite(service);
  await http.listen({ port: 0, host: '127.0.0.1' });
  endings.push(() => http.close());
  markStarted(service);
  return `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
}

/** Asks the database directly, so that the query is not counted. */
async function countDeliveries(databaseUrl: string): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  endings.push(() => client.end());
  return async () => {
    const { rows } = await client.query('SELECT count(*)::int FROM deliveries WHERE delivered_at IS NOT NULL');
    return rows[0].count;
  };
}

/** How often each function of src/ was called: `src/x.ts name@offset` → count. */
type Calls = ReadonlyMap<string, number>;

type Coverage = {
  result: { url: string; functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[] }[];
};

/** Starts counting. The returned function gives the calls since it was last called. */
function startCounting(): () => Calls {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return () => {
    const calls = new Map<string, number>();
    // Within the process the answer is there before `post` returns, so nothing is called in between.
    session.post('Profiler.takePreciseCoverage', (error, coverage?: Coverage) => {
      if (error) throw error;
      for (const { url, functions } of coverage!.result) {
        const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
        if (!path.startsWith('src/')) continue;
        for (const { functionName, ranges } of functions) {
          const { startOffset, count } = ranges[0]!;
          if (count > 0) calls.set(`${path} ${functionName}@${startOffset}`, count);
        }
      }
    });
    return calls;
  };
}

/** Lists the functions that transfers called more often than pauses. */
function moreThanInPauses(rounds: readonly { readonly transfer: Calls; readonly pause: Calls }[]): string[] {
  const called = new Set(rounds.flatMap(({ transfer }) => [...transfer.keys()]));
  return [...called].filter((place) => {
    const more = rounds.reduce(
      (sum, { transfer, pause }) => sum + (transfer.get(place) ?? 0) - (pause.get(place) ?? 0),
      0,
    );
    return more > rounds.length * MORE_THAN_CHANCE;
  });
}

function fileOf(place: string): string {
  return place.split(' ')[0]!;
}

/** `reading`: the files that reading a balance passes too, which says nothing about transfers. */
function print(title: string, functions: readonly string[], reading: ReadonlySet<string>): void {
  const files = Map.groupBy(new Set(functions), fileOf);
  const own = [...files.keys()].filter((file) => !reading.has(file)).length;
  console.log(`${title}: ${files.size} files, ${own} of them not passed by reading a balance`);
  for (const [file, places] of [...files].sort()) {
    const names = places.map((place) => place.slice(file.length + 1).replace(/@.*/, '') || '(unnamed)');
    const mark = reading.has(file) ? '  ' : '* ';
    console.log(`  ${mark}${file}${flags.functions ? `: ${[...new Set(names)].join(', ')}` : ''}`);
  }
}
