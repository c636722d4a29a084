/**
 * Measures an idle service: the CPU of its process, its PostgreSQL and its node, in percent of a core. The lower limit is a
 * Node.js process that only waits. On Linux: `node bench/idle.ts`; SECONDS=60 sets the duration.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { familyOf, readStats } from './processor-time.ts';

const SECONDS = Number(process.env.SECONDS ?? 30);
/** A start leaves work behind: the first run of every loop, the first snapshot of the chain. */
const CALM_AFTER_MS = 10_000;

/** The processor time of a process by itself, and of those below it by their names, in milliseconds. */
function processorTimeByName(root: number): Map<string, number> {
  const all = readStats();
  const family = familyOf(new Set([root]), all);
  const times = new Map<string, number>();
  for (const { pid, name, milliseconds } of all) {
    if (!family.has(pid)) continue;
    const part = pid === root ? 'Node.js' : name;
    times.set(part, (times.get(part) ?? 0) + milliseconds);
  }
  return times;
}

async function percentOfACore(child: ChildProcess): Promise<Record<string, string>> {
  const before = processorTimeByName(child.pid!);
  await delay(SECONDS * 1000);
  return Object.fromEntries(
    [...processorTimeByName(child.pid!)].map(([part, milliseconds]) => [
      part,
      ((milliseconds - (before.get(part) ?? 0)) / SECONDS / 10).toFixed(2),
    ]),
  );
}

const dataDir = mkdtempSync(join(tmpdir(), 'quarters-idle-'));
const service = spawn(process.execPath, [join(import.meta.dirname, '../local/main.ts'), 'start'], {
  env: { ...process.env, QUARTERS_DATA_DIR: dataDir, PORT: '0', DEMO_APP: 'off' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const waiting = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
try {
  await new Promise<void>((resolve) => {
    service.stdout.on('data', (text) => String(text).includes('Ctrl-C') && resolve());
  });
  await delay(CALM_AFTER_MS);
  const [idle, limit] = await Promise.all([percentOfACore(service), percentOfACore(waiting)]);
  console.table({ 'an idle service': idle, 'limit: a process that waits': limit });
} finally {
  waiting.kill();
  service.kill('SIGINT');
  await once(service, 'exit');
  rmSync(dataDir, { recursive: true, force: true });
}
