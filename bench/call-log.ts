/**
 * Measures what the log of API calls costs: transfers settled with it and without it, in turn, and the processor time of one logged call.
 * Linux. Alone: `node bench/call-log.ts`; options as of `npm run bench`.
 */
import type { AppId } from '../src/base/ids.ts';
import { newCallId } from '../src/base/ids.ts';
import { openDatabase } from '../src/db/database.ts';
import { callWriter } from '../src/wings/call-log/features/write-calls.ts';
import { type CallBuffer, openCallBuffer } from '../src/wings/call-log/store/call-buffer.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { createApps, type ManyApps } from './many-apps.ts';
import { openPayments, type Payments, settledPerSecond } from './payments.ts';
import { processorTimeBetween } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
/** So many that no app has 50 calls a second, beyond which rows are left out. */
const APPS = 100;
/** A process lists no more a second. Calls beyond are counted. */
const MOST_ROWS = 1_000;
const ROWS_OF_APP = MOST_ROWS / APPS;
const SETTLED_WITHIN_MS = 30_000;

type Phase = { readonly rate: number; readonly cpu: number };

async function measureCallLog(effort: Effort): Promise<Figure[]> {
  const stage = await startStage();
  try {
    const { users } = await stage.createPayer(effort.quick ? 50 : 200);
    const many = await createApps(stage, APPS, users);
    await untilPosted(stage);
    const costs = await measureOneCall(stage, many, effort);
    const payments = await openPayments(stage, ...many.appIds);
    const phases: Record<'on' | 'off', Phase[]> = { on: [], off: [] };
    // Each is first as often as the other, because everything becomes faster with use.
    const turns = effort.quick
      ? (['off', 'on'] as const)
      : (['off', 'on', 'on', 'off', 'off', 'on', 'on', 'off'] as const);
    for (const log of turns) phases[log].push(await measurePhase(stage, payments, many, log, effort));
    await payments.verify();

    const [on, off] = [mean(phases.on), mean(phases.off)];
    const ofAll = costs.recorded + (costs.written + costs.stored) * Math.min(1, MOST_ROWS / off.rate);
    return [
      {
        name: 'settled',
        value: on.rate,
        unit: '/s',
        limit: { name: 'without the log', value: off.rate },
        target: '≥ 98 %',
      },
      {
        name: 'CPU of service and PostgreSQL',
        value: on.cpu,
        unit: 'ms',
        limit: { name: 'without the log', value: off.cpu },
      },
      { name: 'one call: CPU to record it', value: costs.recorded, unit: 'µs', target: '≤ 2' },
      { name: 'one call beyond the bound: CPU to count it', value: costs.counted, unit: 'µs', target: '≤ 1' },
      { name: 'one call: CPU of the service to write it', value: costs.written, unit: 'µs' },
      { name: 'one call: CPU of PostgreSQL to store it', value: costs.stored, unit: 'µs' },
      { name: 'CPU of the log, of that of a transfer', value: ofAll / 10 / off.cpu, unit: '%', target: '≤ 2' },
    ];
  } finally {
    await stage.stop();
  }
}

async function measurePhase(
  stage: Stage,
  payments: Payments,
  { payers }: ManyApps,
  log: 'on' | 'off',
  effort: Effort,
): Promise<Phase> {
  await stage.restart({ API_LOG: log });
  const order = { port: stage.port, flow: 'spread', data: { payers }, connections: CONNECTIONS } as const;
  await payments.settle(stage.load.run({ ...order, seconds: 3 }));
  const full = await payments.settle(stage.load.run({ ...order, seconds: effort.seconds / 2 }));
  return { rate: settledPerSecond(full), cpu: full.cpu.service! + full.cpu.postgres! };
}

function mean(phases: readonly Phase[]): Phase {
  const of = (name: keyof Phase) => phases.reduce((sum, phase) => sum + phase[name], 0) / phases.length;
  return { rate: of('rate'), cpu: of('cpu') };
}

type Costs = {
  readonly recorded: number;
  readonly counted: number;
  readonly written: number;
  readonly stored: number;
};

/**
 * Processor time of one call, in microseconds, with the service's own functions, in this process. It says what a rate cannot say on a
 * machine that does other work too.
 */
async function measureOneCall(stage: Stage, { appIds }: ManyApps, effort: Effort): Promise<Costs> {
  const rounds = effort.quick ? 40 : 200;
  const db = openDatabase(stage.databaseUrl, { maxConnections: 1 });
  const [calls, full] = [openCallBuffer(), openCallBuffer()];
  const write = callWriter({ db }, calls);
  let [recorded, counted, written, stored] = [0, 0, 0, 0];
  // The first rounds make the functions fast and the statement known.
  for (let round = -10; round < rounds; round++) {
    const recording = microseconds(() => recordAll(calls, appIds, ROWS_OF_APP));
    recordAll(full, appIds, 50);
    const counting = microseconds(() => recordAll(full, appIds, ROWS_OF_APP));
    const groups = stage.processorTime();
    const own = process.cpuUsage();
    await write();
    const { user, system } = process.cpuUsage(own);
    full.take();
    if (round < 0) continue;
    recorded += recording;
    counted += counting;
    written += user + system;
    stored += processorTimeBetween(groups, stage.processorTime()).postgres! * 1000;
  }
  await db.close();
  const count = rounds * appIds.length * ROWS_OF_APP;
  return { recorded: recorded / count, counted: counted / count, written: written / count, stored: stored / count };
}

function recordAll(calls: CallBuffer, appIds: readonly string[], times: number): void {
  for (let i = 0; i < times; i++) {
    for (const appId of appIds) {
      calls.record({ appId: appId as AppId, status: 200, code: null }, () => ({
        id: newCallId(),
        milliseconds: 12.3,
        method: 'POST',
        route: '/v1/accounts/:address/transfer',
        fields: null,
        keyId: '3f9ac41b3f9ac41b',
        userId: null,
        idempotencyKey: `order ${i} of ${appId}`,
        paymentId: null,
        about: null,
      }));
    }
  }
}

function microseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Resolves when what was issued is posted. */
async function untilPosted({ database }: Stage): Promise<void> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; Date.now() < deadline; ) {
    const { rows } = await database.query<{ held: string }>('SELECT sum(held) AS held FROM accounts');
    if (Number(rows[0]!.held) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The issued quarters were not posted.');
}

export const callLog: Claim = {
  name: 'call-log',
  title: 'The log of API calls',
  method: `${APPS} apps pay 1 quarter each in turn over ${CONNECTIONS} connections, so that most calls have a row. The service starts with and \
without the log (\`API_LOG=off\`) in turn. The processor time of one call is that of the service's own functions, with full batches.`,
  measure: measureCallLog,
};

if (import.meta.main) await runAlone(callLog);
