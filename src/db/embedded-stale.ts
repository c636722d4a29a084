import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Longer than the watchdog lets a server take to shut down. */
const patienceMs = 20_000;

/**
 * Handles the `postmaster.pid` that a killed server left. The caller holds the data folder's lock, so a live server there
 * lost its service and is being ended by its watchdog. This function waits for that.
 *
 * PostgreSQL clears the file itself if no process, or one of another user, has the pid. If a process of the same user has
 * since got the pid (likely in a container, where pids start from 1), PostgreSQL would refuse to start forever. The file is
 * not removed then, because it also names the shared memory by which PostgreSQL detects backends of the old server.
 * Instead it gets the pid of this process, which PostgreSQL ignores because it is its parent.
 * @throws if a live server does not stop in time
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
      throw new Error(`The database of an earlier start is still running as process ${pid} and does not stop.`);
    }
    await delay(50);
  }
}

/** Whether the process runs PostgreSQL on this cluster. A zombie has no command line, so it does not count. */
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
