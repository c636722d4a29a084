/**
 * Measures the delivery of webhooks, while a tenth of the endpoints answers after seconds. Linux. Alone: `node bench/webhooks.ts`; EVENTS
 * sets how many are delivered.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { type AppId, newEventId } from '../src/base/ids.ts';
import { readSettings } from '../src/config/read-settings.ts';
import type { Database } from '../src/db/database.ts';
import { connect } from '../src/process/connect.ts';
import { houseOf } from '../src/service/house.ts';
import { insertEvents } from '../src/webhooks/events.ts';
import { WINGS } from '../src/wings.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { endProcess, nextMessage, startBenchProcess } from './load.ts';
import { createApps } from './many-apps.ts';
import { processorTimeBetween } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const SLOW = 10;
const SLOW_EVENTS = 20;
/** By then the service knows the slow endpoints as slow. */
const KNOWN_AFTER_MS = 8_000;
const POSTS_AT_ONCE = 32;
const LIMIT = 'the same bodies sent by one Node.js process that does nothing else';
const DATA = { id: newEventId(), tokens: 60, description: 'A shield', status: 'completed', text: 'x'.repeat(500) };

async function measureWebhooks({ quick }: Effort): Promise<Figure[]> {
  const [apps, events] = quick ? [50, 2_000] : [200, Number(process.env.EVENTS ?? 20_000)];
  const stage = await startStage({ WEBHOOK_PRIVATE_TARGETS: 'on' });
  const { service, close } = await connect(readSettings(stage.env()), pino({ level: 'silent' }), houseOf(WINGS));
  const receiver = startBenchProcess('webhook-receiver.ts');
  try {
    const port = await nextMessage<number>(receiver);
    const { people } = await stage.createPayer(1);
    const users = people.map(({ userId }) => userId);
    const { appIds, webhookKeys } = await createApps(stage, apps, users);
    const urls = appIds.map((id, i) => `http://127.0.0.1:${port}/${i % SLOW === 0 ? 'slow' : 'fast'}/${id}`);
    const adding = { port: stage.port, flow: 'endpoint', data: { serverKeys: webhookKeys, urls } } as const;
    await stage.load.run({ ...adding, connections: 16, turns: apps });
    const slow = appIds.filter((_, i) => i % SLOW === 0) as AppId[];
    const fast = appIds.filter((_, i) => i % SLOW !== 0) as AppId[];
    await happen(service.db, slow, slow.length * SLOW_EVENTS);
    await delay(KNOWN_AFTER_MS);
    const ask = () => {
      receiver.send('count');
      return nextMessage<number>(receiver);
    };
    await deliver(stage, service.db, fast, events / 10, ask);
    const delivered = await deliver(stage, service.db, fast, events, ask);
    const limit = await postMany(`http://127.0.0.1:${port}/fast/limit`, events);
    return [
      {
        name: 'delivered',
        value: delivered.rate,
        unit: '/s',
        limit: { name: LIMIT, value: limit.rate },
      },
      {
        name: 'CPU of service and PostgreSQL of a delivery',
        value: delivered.service + delivered.postgres,
        unit: 'ms',
        limit: { name: LIMIT, value: limit.cpu },
        target: '≤ 0.06',
      },
      { name: 'CPU of the service for each', value: delivered.service, unit: 'ms' },
      { name: 'CPU of PostgreSQL for each', value: delivered.postgres, unit: 'ms' },
    ];
  } finally {
    await endProcess(receiver);
    await close();
    await stage.stop();
  }
}

type Delivered = { readonly rate: number; readonly service: number; readonly postgres: number };

/**
 * What it costs to write them is left out: they wait when the measurement begins, as far as the service has not sent them yet. Counting
 * them in the database costs it something too, so it is asked only when the receiver has as many. `ask`: how many it has.
 */
async function deliver(
  stage: Stage,
  db: Database,
  apps: readonly AppId[],
  events: number,
  ask: () => Promise<number>,
): Promise<Delivered> {
  const received = await ask();
  await happen(db, apps, events);
  const [before, began] = [stage.processorTime(), performance.now()];
  while ((await ask()) - received < events) await delay(20);
  for (;;) {
    const { rows } = await stage.database.query(
      `SELECT count(*)::int AS left FROM deliveries JOIN webhook_endpoints ON id = endpoint_id
        WHERE app_id = ANY($1) AND delivered_at IS NULL`,
      [apps],
    );
    if (rows[0].left === 0) break;
    await delay(100);
  }
  const seconds = (performance.now() - began) / 1000;
  const spent = processorTimeBetween(before, stage.processorTime());
  return { rate: events / seconds, service: spent.service! / events, postgres: spent.postgres! / events };
}

/** Writes events of these apps in turn. */
async function happen(db: Database, apps: readonly AppId[], count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => ({
    id: newEventId(),
    appId: apps[i % apps.length]!,
    type: 'request.completed' as const,
    sequence: 1,
    subject: { data: DATA },
  }));
  await db.transaction((tx) => insertEvents(tx, events));
}

/** `cpu`: of this process, in milliseconds a message. */
async function postMany(url: string, count: number): Promise<{ readonly rate: number; readonly cpu: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: POSTS_AT_ONCE });
  const body = JSON.stringify({ type: 'request.completed', data: DATA });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  let left = count;
  const postInTurn = async () => {
    while (left-- > 0) {
      await new Promise<void>((resolve, reject) => {
        const posted = request(url, { method: 'POST', agent, headers }, (answer) => {
          answer.resume().once('end', resolve);
        });
        posted.once('error', reject).end(body);
      });
    }
  };
  const [began, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, postInTurn));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  agent.destroy();
  return { rate: count / seconds, cpu: (user + system) / 1000 / count };
}

export const webhooks: Claim = {
  name: 'webhooks',
  title: 'Webhooks',
  method:
    'Events of many apps are written at once and delivered, each to its own address. Every tenth address answers after five seconds, and the service knows that already. The receiver is a process of its own.',
  measure: measureWebhooks,
};

if (import.meta.main) await runAlone(webhooks);
