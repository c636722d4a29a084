import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

type Row = { pid: number; parent: number };

/** Lists all running processes without zombies, which are dead but not yet reaped. */
function running(): Row[] {
  const rows =
    process.platform === 'linux'
      ? readdirSync('/proc').flatMap((name) => {
          if (!/^\d+$/.test(name)) return [];
          try {
            // pid (name, which may hold anything) state parent
            const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
              .replace(/^.*\) /s, '')
              .split(' ');
            return [{ pid: Number(name), state, parent: Number(parent) }];
          } catch {
            return [];
          }
        })
      : execFileSync('ps', ['-A', '-o', 'pid=,stat=,ppid='], { encoding: 'utf8' })
          .trim()
          .split('\n')
          .map((line) => line.trim().split(/\s+/))
          .map(([pid, state, parent]) => ({ pid: Number(pid), state, parent: Number(parent) }));
  return rows.filter(({ state }) => !state?.startsWith('Z'));
}

export function descendants(pid: number): number[] {
  const rows = running();
  const found = [pid];
  for (const at of found) found.push(...rows.filter(({ parent }) => parent === at).map((row) => row.pid));
  return found.slice(1);
}

export function alive(pids: number[]): number[] {
  const all = new Set(running().map((row) => row.pid));
  return pids.filter((pid) => all.has(pid));
}

/** The process's command with its arguments; empty if the process is gone. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-p', `${pid}`, '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** The workers of a service, oldest first. */
export const workersOf = ({ pid }: { readonly pid: number }): number[] =>
  descendants(pid).filter((child) => commandOf(child).startsWith('quarters worker'));

/** Runs a test script and returns the first line it prints as `line`. The test's end kills the script. */
export async function runScript(
  t: Pick<TestContext, 'after'>,
  script: URL,
  args: string[],
  options: { uid?: number; gid?: number } = {},
): Promise<{ process: ChildProcess; pid: number; line: string }> {
  const child = spawn(process.execPath, [script.pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    ...options,
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  return { process: child, pid: child.pid!, line: line ?? '' };
}
