/**
 * Measures webhooks: the CPU time and the statements of one delivery, while a tenth of 1,000 endpoints answers after nine seconds.
 * It brings its own database, chain and receivers. On Linux: `node bench/webhooks.ts`. EVENTS=20000 sets the number of events of ten
 * busy apps. They wait when the measurement begins, so that it leaves out what it costs to write them.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type AppId, newEventId } from '../src/base/ids.ts';
import { addEndpoint } from '../src/features/webhooks/endpoints.ts';
import { OPERATOR } from '../src/service/managers.ts';
import { insertEvents } from '../src/webhooks/events.ts';
import { startTestService, type TestService } from '../test/kit/service/service.ts';
import { familyOf, readStats } from './processor-time.ts';

const EVENTS = Number(process.env.EVENTS ?? 20_000);
const BUSY_APPS = 10;
const OTHER_APPS = 198;
const OF_OTHERS = 5;
const SLOW_EVERY = 10;
const SLOW_EVENTS = 20;
const SLOW_MS = 9_000;
const IS_RECEIVER = process.argv[2] === 'receiver';

if (IS_RECEIVER) startReceiver();
else test(`${EVENTS} deliveries`, measure);

/** Answers at once, or late below /slow. */
function startReceiver(): void {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url?.startsWith('/slow')) setTimeout(() => response.writeHead(204).end(), SLOW_MS);
      else response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
}

async function measure(t: Parameters<typeof startTestService>[0]): Promise<void> {
  const receiver = fork(import.meta.filename, ['receiver']);
  t.after(async () => void receiver.kill());
  const [port] = (await once(receiver, 'message')) as [number];
  const s = await startTestService(t, { env: { AUDIT_EVERY_SECONDS: '0', WEBHOOK_PRIVATE_TARGETS: 'on' } });
  const busy: AppId[] = [];
  const slow: AppId[] = [];
  const addApp = async (url: (i: number) => string, endpoints: number) => {
    const { id } = await s.createApp();
    for (let i = 0; i < endpoints; i++) {
      await addEndpoint(s.service, { by: OPERATOR, appId: id }, { url: url(i), types: null });
    }
    return id;
  };
  const at = (path: string) => `http://127.0.0.1:${port}/${path}`;
  for (let i = 0; i < BUSY_APPS; i++) busy.push(await addApp(() => at(`quick/${i}`), 1));
  for (let i = 0; i < OTHER_APPS; i++) {
    const isSlow = i % SLOW_EVERY === 0;
    const id = await addApp((n) => at(`${isSlow ? 'slow' : 'quick'}/${i}/${n}`), OF_OTHERS);
    if (isSlow) slow.push(id);
  }
  await happen(s, slow, slow.length * SLOW_EVENTS);
  // By then the slow endpoints are known to be slow.
  await delay(5_000);
  await run(s, busy, EVENTS / 10);
  console.table(await run(s, busy, EVENTS));
}

async function run(s: TestService, apps: readonly AppId[], events: number): Promise<object> {
  let statements = 0;
  const { db } = s.service;
  const counted = db as { -readonly [Name in keyof typeof db]: (typeof db)[Name] };
  const { query } = db;
  counted.query = (text, values) => {
    if (/deliveries|webhook|events/.test(text)) statements++;
    return query(text, values);
  };
  await happen(s, apps, events);
  const cpu = process.cpuUsage();
  const postgres = cpuOfPostgres();
  const began = performance.now();
  for (;;) {
    await delay(500);
    const [row] = await query<{ left: bigint }>(
      `SELECT count(*) AS left FROM deliveries JOIN webhook_endpoints ON id = endpoint_id
        WHERE app_id = ANY($1) AND delivered_at IS NULL`,
      [apps],
    );
    if (row!.left === 0n) break;
  }
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  counted.query = query;
  return {
    deliveries: events,
    'deliveries a second': Math.round(events / seconds),
    'statements for each': Number((statements / events).toFixed(3)),
    'CPU of this process for each, ms': Number(((user + system) / 1000 / events).toFixed(3)),
    'CPU of PostgreSQL for each, ms': Number(((cpuOfPostgres() - postgres) / events).toFixed(3)),
    'memory of this process, MB': Math.round(process.memoryUsage.rss() / 1_000_000),
  };
}

/** Writes events of these apps, as many of each. */
async function happen(s: TestService, apps: readonly AppId[], events: number): Promise<void> {
  const data = { id: newEventId(), tokens: 60, description: 'A shield', status: 'completed', text: 'x'.repeat(500) };
  await s.service.db.transaction((tx) =>
    insertEvents(
      tx,
      Array.from({ length: events }, (_, i) => ({
        id: newEventId(),
        appId: apps[i % apps.length]!,
        type: 'request.completed',
        sequence: 1,
        subject: { data },
      })),
    ),
  );
}

/** CPU of all PostgreSQL processes below this one, ended ones too, in milliseconds. */
function cpuOfPostgres(): number {
  const all = readStats();
  const family = familyOf(new Set([process.pid]), all);
  const own = all.filter(({ pid, name }) => family.has(pid) && name.startsWith('postgres'));
  return own.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
}
