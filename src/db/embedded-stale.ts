import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Longer than the watchdog gives a server to shut down. */
const patienceMs = 20_000;

/**
 * Deals with the `postmaster.pid` that a killed server left. The caller holds the data folder's lock, so a live server
 * there can only be one whose service died and which its watchdog is ending: that one is waited for.
 *
 * PostgreSQL clears the file itself when no process has the pid, or one of another user. When a process of the same
 * user got the pid since (likely in a container, where pids start from 1 each time), it would refuse to start for ever.
 * The file is not removed then: it also names the shared memory, by which PostgreSQL sees that backends of the old server
 * are still at work. Instead it gets the pid of this process, which PostgreSQL ignores because it is its parent.
 * @throws when a live server does not end in time
 */
export async function clearStalePid(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const [first = '', ...rest] = text.split('\n');
    const pid = Number(first);
    if (!(pid > 0) || !(await isServerOf(pid, cluster))) {
      await writeFile(file, [`${process.pid}`, ...rest].join('\n'));
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`The database of an earlier start is still running as process ${pid} and does not end.`);
    }
    await delay(50);
  }
}

/** Whether the process runs PostgreSQL with this cluster. A zombie has no command line: no longer. */
async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  const command =
    process.platform === 'linux'
      ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).then(
          ({ stdout }) => stdout,
          () => '',
        );
  return command.includes('postgres') && command.includes(cluster);
}
