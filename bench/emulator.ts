/** Measures the emulator as a game's tests feel it. Linux. Alone: `node bench/emulator.ts`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Claim, Effort, Figure } from './claim.ts';
import { newBenchGame } from './emulator-game.ts';
import { type EmulatorProcess, startEmulatorProcess } from './emulator-process.ts';
import { nextMessage, startBenchProcess } from './load.ts';
import { peakMegabytes, readProcessorTime } from './processor-time.ts';
import { runAlone } from './run.ts';

const FILES = 8;
/** Of each file. */
const TESTS = 10;
const READY = 'ready';

type Counts = { readonly starts: number; readonly payments: number; readonly resets: number; readonly tests: number };

async function measureEmulator({ quick }: Effort): Promise<Figure[]> {
  const counts: Counts = quick
    ? { starts: 1, payments: 10, resets: 10, tests: 3 }
    : { starts: 3, payments: 40, resets: 40, tests: TESTS };
  // The first one of a release prepares what the others continue from.
  await (await startEmulatorProcess()).stop();
  const limits = await measureLimits(counts);
  const starts = await measureStarts(counts);
  const running = await startEmulatorProcess();
  try {
    const empty = peakMegabytes(running.pid);
    const payments = await measurePayments(running, counts);
    const webhooks = await measureWebhooks(running, counts);
    const resets = await measureResets(running, counts);
    return [
      ...startFigures([...starts, running.startedInMs], limits),
      ...memoryFigures(empty, peakMegabytes(running.pid), limits),
      ...resetFigures(resets, limits),
      ...payments,
      ...webhooks,
      ...(await measureFiles(running, counts)),
    ];
  } finally {
    await running.stop();
  }
}

/** What PostgreSQL, the node and the loading of the modules take by themselves. */
type Limits = { readonly starts: readonly number[]; readonly megabytes: number; readonly resets: readonly number[] };

async function measureLimits({ starts, resets }: Counts): Promise<Limits> {
  const limits = { starts: [] as number[], megabytes: 0, resets: [] as number[] };
  for (let round = 0; round <= starts; round++) {
    const began = performance.now();
    const parts = startBenchProcess('emulator-parts.ts');
    const exited = once(parts, 'exit');
    limits.megabytes = (await nextMessage<{ megabytes: number }>(parts)).megabytes;
    limits.starts.push(performance.now() - began);
    for (let reset = 0; round === 0 && reset < resets; reset++) {
      parts.send('reset');
      limits.resets.push(await nextMessage<number>(parts));
    }
    parts.disconnect();
    await exited;
  }
  return limits;
}

async function measureStarts({ starts }: Counts): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < starts; round++) {
    const one = await startEmulatorProcess();
    times.push(one.startedInMs);
    await one.stop();
  }
  return times;
}

async function measurePayments({ emulator, pid }: EmulatorProcess, { payments }: Counts): Promise<Figure[]> {
  const game = await newBenchGame(emulator);
  // The first ones are slower: nothing was called before.
  await repeated(payments / 2, () => game.pay(emulator.settled));
  const before = processorMs(pid);
  const times = await repeated(payments, () => game.pay(emulator.settled));
  const cpu = (processorMs(pid) - before) / payments;
  const alone = await repeated(payments, () => game.payAlone());
  const name = 'by the app, until completed';
  return [
    { ...figure('a test of one payment, p50', median(times), '≤ 60'), limit: { name, value: median(alone) } },
    { ...figure('a test of one payment, p95', at(0.95, times)), limit: { name, value: at(0.95, alone) } },
    { ...figure('a test of one payment, fastest', Math.min(...times)), limit: { name, value: Math.min(...alone) } },
    figure('a test of one payment: CPU of all processes of the emulator', cpu),
  ];
}

async function measureWebhooks({ emulator }: EmulatorProcess, { payments }: Counts): Promise<Figure[]> {
  const completed = new Set<string>();
  const receiver = createServer(async (request, response) => {
    const { type, data } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (type === 'request.completed' || type === 'transfer.completed') completed.add(data.id);
    response.writeHead(204).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const game = await newBenchGame(emulator, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    const times = await repeated(payments, () => game.pay(emulator.webhooks.delivered));
    if (completed.size < payments) throw new Error(`${completed.size} of ${payments} payments were told of.`);
    const alone = await repeated(payments, () => game.payAlone((id) => completed.has(id)));
    const name = 'by the app, until its webhook';
    return [
      { ...figure('the same with its webhooks, p50', median(times)), limit: { name, value: median(alone) } },
      { ...figure('the same with its webhooks, p95', at(0.95, times)), limit: { name, value: at(0.95, alone) } },
    ];
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

/** Each goes back over a payment. */
async function measureResets({ emulator }: EmulatorProcess, { resets }: Counts): Promise<number[]> {
  const game = await newBenchGame(emulator);
  await emulator.snapshot(READY);
  return repeated(resets, async () => {
    await game.pay(emulator.settled);
    return timed(() => emulator.reset(READY));
  });
}

/** So many side by side, all with one emulator and each with its own. The limit is one alone, as often as a core has to do it. */
async function measureFiles({ control, token }: EmulatorProcess, { tests }: Counts): Promise<Figure[]> {
  const ways = { 'with an emulator for all': [control, token], 'each with its own emulator': [] };
  const figures: Figure[] = [];
  for (const [way, connection] of Object.entries(ways)) {
    const file = () => runFile([`${tests}`, ...connection]);
    const alone = await timed(file);
    const together = await timed(() => Promise.all(Array.from({ length: FILES }, file)));
    const value = (alone * FILES) / availableParallelism() / 1000;
    const limit = { name: `one file alone × ${FILES} / ${availableParallelism()} cores`, value };
    figures.push({ name: `${FILES} files of ${tests} tests, ${way}`, value: together / 1000, unit: 's', limit });
  }
  return figures;
}

async function runFile(args: readonly string[]): Promise<void> {
  const [code] = await once(startBenchProcess('emulator-test-file.ts', args), 'exit');
  if (code !== 0) throw new Error(`A test file ended with ${code}.`);
}

function startFigures(times: readonly number[], limits: Limits): Figure[] {
  const name = 'PostgreSQL, node, loading of modules';
  const [fastest, usual] = [Math.min(...times), median(times)].map((ms) => ms / 1000);
  const [fastestLimit, usualLimit] = [Math.min(...limits.starts), median(limits.starts)].map((ms) => ms / 1000);
  return [
    { name: 'start, p50', value: usual!, unit: 's', limit: { name, value: usualLimit! }, target: '≤ 2' },
    { name: 'start, fastest', value: fastest!, unit: 's', limit: { name, value: fastestLimit! } },
  ];
}

function memoryFigures(empty: number, used: number, { megabytes }: Limits): Figure[] {
  const limit = { name: 'with modules loaded', value: megabytes };
  return [
    { name: 'memory after the start', value: empty, unit: 'MB', limit, target: '≤ 250' },
    { name: 'memory after the payments and resets', value: used, unit: 'MB', limit, target: '≤ 250' },
  ];
}

function resetFigures(times: readonly number[], { resets }: Limits): Figure[] {
  const name = 'the rows and the node alone';
  return [
    { ...figure('reset, p50', median(times), '≤ 100'), limit: { name, value: median(resets) } },
    { ...figure('reset, p95', at(0.95, times), '≤ 100'), limit: { name, value: at(0.95, resets) } },
  ];
}

const figure = (name: string, value: number, target?: string): Figure => ({
  ...{ name, value, unit: 'ms' },
  ...(target !== undefined && { target }),
});

const processorMs = (pid: number) => readProcessorTime({ emulator: [pid] }).groups.emulator!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function repeated(times: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  while (values.length < times) values.push(await measure());
  return values;
}

function at(share: number, values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

const median = (values: readonly number[]) => at(0.5, values);

export const emulatorForTests: Claim = {
  name: 'emulator',
  title: 'The emulator',
  method: `\`quarters emulator\` as a child process that was prepared by an earlier start, used by the TypeScript client from another process. \
The start ends when its line is read. Memory is the most of its own process, without PostgreSQL and the node. Each reset goes back over one \
payment. A test of one payment asks a player, approves, waits until all is settled, and reads that it is completed, with instant blocks; its \
limit is a payment by the app, without control. A file makes an app and a player first; its process counts, too.`,
  measure: measureEmulator,
};

if (import.meta.main) await runAlone(emulatorForTests);
