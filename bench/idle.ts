/**
 * Measures an idle service: the CPU of its process, its PostgreSQL and its node, in percent of a core. The lower limit is a
 * Node.js process that only waits. On Linux: `node bench/idle.ts`; SECONDS=60 sets the duration.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const SECONDS = Number(process.env.SECONDS ?? 30);
/** A start leaves work behind: the first run of every loop, the first snapshot of the chain. */
const CALM_AFTER_MS = 10_000;
const TICKS_A_SECOND = 100;

type Stat = { readonly pid: number; readonly parent: number; readonly name: string; readonly ticks: number };

function processes(): Stat[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))!;
      const fields = rest!.split(' ');
      return [
        { pid: Number(entry), parent: Number(fields[1]), name: name!, ticks: Number(fields[11]) + Number(fields[12]) },
      ];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}

function below(root: number): Stat[] {
  const all = processes();
  const family = new Set([root]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid));
}

async function percentOfACore(child: ChildProcess): Promise<Record<string, string>> {
  const before = new Map(below(child.pid!).map(({ pid, ticks }) => [pid, ticks]));
  await delay(SECONDS * 1000);
  const spent: Record<string, number> = {};
  for (const { pid, name, ticks } of below(child.pid!)) {
    const part = pid === child.pid ? 'Node.js' : name;
    spent[part] = (spent[part] ?? 0) + ticks - (before.get(pid) ?? 0);
  }
  return Object.fromEntries(
    Object.entries(spent).map(([part, ticks]) => [part, ((ticks / TICKS_A_SECOND / SECONDS) * 100).toFixed(2)]),
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
