import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCrew } from '../../src/crew.ts';
import type { ServicePlace } from '../../src/place.ts';

/** Worker 1 answers, then dies; its first successor cannot start. Worker 2 answers after a further one. */
const WORKER = `
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const starts = () => readFileSync(process.env.STARTS, 'utf8').length;
const ready = () => process.send({ kind: 'ready', facts: {} });
process.on('message', async ({ kind, number }) => {
  if (kind === 'stop') process.exit(0);
  if (kind !== 'begin') return;
  if (number === 1) {
    appendFileSync(process.env.STARTS, '1');
    if (starts() === 2) return process.send({ kind: 'fault', message: 'not now', isFinal: false }, () => process.exit(1));
    ready();
    if (starts() === 1) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
    return;
  }
  for (let look = 0; starts() < 3 && look < 400; look++) await delay(50);
  if (starts() < 3) process.exit(1);
  ready();
});
process.send({ kind: 'hello' });
`;

test('a worker that dies while others still start is replaced, even if its successor cannot start at first', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'quarters-crew-'));
  const [exec, starts] = [join(folder, 'worker.mjs'), join(folder, 'starts')];
  await writeFile(exec, WORKER);
  await appendFile(starts, '');
  cluster.setupPrimary({ exec, execArgv: [], args: [] });
  process.env.STARTS = starts;
  const crew = openCrew({
    size: 2,
    place: {} as ServicePlace,
    log: { info() {}, warn() {}, error() {} } as unknown as Parameters<typeof openCrew>[0]['log'],
    onSent() {},
    onEnd: (reason) => assert.fail(reason),
  });
  t.after(async () => {
    await crew.stop(false);
    delete process.env.STARTS;
    await rm(folder, { recursive: true });
  });
  await crew.open();
});
