import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ListeningPlace } from '../../src/process/listening-place.ts';
import { type Crew, openCrew } from '../../src/wings/workers/process/crew.ts';
import { until } from '../kit/unit/until.ts';

/** What the workers of these tests share. `begun(number)` is called when one is told to begin. It knows how many have begun so far. */
const WORKER = `
const counted = { counters: [], completions: { buckets: [], sum: 0 }, relayersHeld: 0, stalled: 0, workers: 1, replaced: 0 };
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const starts = () => readFileSync(process.env.STARTS, 'utf8').length;
const ready = () => process.send({ kind: 'ready', chain: {} });
const fault = (isFinal) => process.send({ kind: 'fault', message: 'not now', isFinal }, () => process.exit(1));
process.on('message', ({ kind, number }) => {
  if (kind === 'stop') process.exit(0);
  if (kind === 'count') process.send({ kind: 'counts', counted });
  if (kind === 'begin') begun(number);
});
process.send({ kind: 'hello' });
`;

type Stage = {
  readonly crew: Crew;
  /** How many workers have begun that count themselves. */
  starts(): Promise<number>;
  /** What the crew has logged as errors. */
  readonly logged: string[];
  readonly ends: Error[];
};

/** A crew whose workers run `begun`, the source of a function, when they are told to begin. */
async function openStage(t: TestContext, begun: string, { size = 1, asksEveryMs = 5_000 } = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'quarters-crew-'));
  const [exec, starts] = [join(folder, 'worker.mjs'), join(folder, 'starts')];
  await writeFile(exec, `${WORKER}${begun}`);
  await writeFile(starts, '');
  cluster.setupPrimary({ exec, execArgv: [], args: [] });
  process.env.STARTS = starts;
  const [logged, ends]: [string[], Error[]] = [[], []];
  const error = (_facts: object, text: string) => void logged.push(text);
  const crew = openCrew({
    size,
    asksEveryMs,
    place: {} as ListeningPlace,
    log: { info() {}, warn() {}, error } as unknown as Parameters<typeof openCrew>[0]['log'],
    onSent() {},
    onEnd: (reason) => void ends.push(reason),
  });
  t.after(async () => {
    await crew.stop(false);
    delete process.env.STARTS;
    await rm(folder, { recursive: true });
  });
  return { crew, starts: async () => (await readFile(starts, 'utf8')).length, logged, ends };
}

test('a worker that dies while others still start is replaced, even if its successor cannot start at first', async (t) => {
  // Worker 1 answers, then dies; its first successor cannot start. Worker 2 answers after a further one.
  const begun = `async function begun(number) {
    if (number === 1) {
      appendFileSync(process.env.STARTS, '1');
      if (starts() === 2) return fault(false);
      ready();
      if (starts() === 1) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
      return;
    }
    for (let look = 0; starts() < 3 && look < 400; look++) await delay(50);
    if (starts() < 3) process.exit(1);
    ready();
  }`;
  const { crew, ends } = await openStage(t, begun, { size: 2 });
  await crew.open();
  assert.deepEqual(ends, []);
});

test('a worker that hangs is killed and replaced', async (t) => {
  const begun = `function begun() {
    ready();
    appendFileSync(process.env.STARTS, '1');
    if (starts() === 1) setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);
  }`;
  const { crew, starts, logged } = await openStage(t, begun, { asksEveryMs: 100 });
  await crew.open();
  await until('another worker takes its place', async () => (await starts()) === 2);
  assert.deepEqual(logged.slice(0, 2), ['a worker hangs and is killed', 'a worker has ended and is replaced']);
});

test('a worker whose process cannot be made is tried again until it can', async (t) => {
  const begun = `function begun() {
    appendFileSync(process.env.STARTS, '1');
    ready();
  }`;
  const { crew, starts, logged } = await openStage(t, begun);
  await crew.open();
  const program = process.execPath;
  t.after(() => {
    process.execPath = program;
  });
  process.execPath = join(tmpdir(), 'a program that is being replaced');
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
  await until('it was tried in vain', () => logged.includes('a worker did not start and is tried again'));
  process.execPath = program;
  await until('it has started', async () => (await starts()) === 2);
});

test('a worker that finds another release running ends the command, and is not replaced', async (t) => {
  const begun = `function begun() {
    appendFileSync(process.env.STARTS, '1');
    ready();
    setTimeout(fault, 50, true);
  }`;
  const { crew, starts, logged, ends } = await openStage(t, begun);
  await crew.open();
  await until('the command is to end', () => ends.length > 0);
  assert.deepEqual([ends.map(({ message }) => message), await starts(), logged], [['not now'], 1, []]);
});
