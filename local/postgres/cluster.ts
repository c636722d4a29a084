import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Child, startChild } from '../child.ts';
import type { ClusterPlace } from './place.ts';

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
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const [first = '', ...rest] = text.split('\n');
    const pid = Number(first);
    if (!(pid > 0) || !(await isServerOf(pid, cluster))) {
      await writeFile(file, [`${process.pid}`, ...rest].join('\n'));
      return;
    }
    if (performance.now() > deadline) {
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

export const superuser = 'quarters';

/** The environment of PostgreSQL's programs. They inherit nothing, so no PG… variable or locale changes their behaviour. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Finds or creates the cluster in `place`, and returns it with its password.
 *
 * A new cluster is created under another name and renamed when complete, so a start that dies in between leaves nothing that
 * looks like a cluster. initdb does not wait for the disk. One pass over all files does, before the rename.
 * @throws with one sentence if another version of PostgreSQL created the cluster, or if its password is lost
 */
export async function ensureCluster(
  place: ClusterPlace,
  passwordFile: string,
  fast: boolean,
  stopOn?: AbortSignal,
): Promise<{ cluster: string; password: string }> {
  const cluster = join(place.folder, 'cluster');
  for (const name of await readdir(place.folder)) {
    // Retried, because the initdb of a killed service may still be writing its last files.
    if (name.startsWith('cluster-part-'))
      await rm(join(place.folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
  let password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  if (existsSync(cluster)) {
    await checkVersion(cluster, place.binaries);
    if (!password)
      throw new Error(`The password of the embedded database is missing: ${passwordFile} does not exist or is empty.`);
    return { cluster, password };
  }
  if (!password) {
    password = randomBytes(32).toString('hex');
    await writeFile(`${passwordFile}.part`, password, { mode: 0o600, flush: true });
    await rename(`${passwordFile}.part`, passwordFile);
  }
  const part = await mkdtemp(join(place.folder, 'cluster-part-'));
  const given = join(part, 'password');
  const data = join(part, 'data');
  await writeFile(given, password, { mode: 0o600 });
  if (place.user) for (const path of [part, given]) await chown(path, place.user.uid, place.user.gid);
  const initdb = (...args: string[]) => run(place, 'initdb', args, stopOn);
  await initdb(
    ...['--pgdata', data, '--username', superuser, '--pwfile', given, '--auth', 'scram-sha-256', '--no-instructions'],
    // Hashing rounds slow down guessing. Nobody guesses 32 random bytes, and the rounds would delay every connection.
    ...['--set', 'scram_iterations=1'],
    // Text is compared by code point, so it sorts the same on every machine.
    ...['--encoding', 'UTF8', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    '--no-sync',
  );
  if (!fast) await initdb('--pgdata', data, '--sync-only');
  await rename(data, cluster);
  if (!fast) await sync(place.folder);
  await rm(part, { recursive: true, force: true });
  return { cluster, password };
}

async function checkVersion(cluster: string, binaries: string): Promise<void> {
  const ofCluster = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '?')).trim();
  const sample = await readFile(join(binaries, 'share', 'postgresql', 'postgres.bki'), 'utf8');
  const ofBinaries = /^# PostgreSQL (\d+)/.exec(sample)?.[1];
  if (ofCluster !== ofBinaries) {
    throw new Error(
      `The database in ${cluster} was created by PostgreSQL ${ofCluster}, but this version of the service has ${ofBinaries}. Nothing was changed. Move the data with pg_dump.`,
    );
  }
}

/** The child's last lines, joined into one: PostgreSQL's programs write the reason last. */
export function lastWords(child: Child): string {
  return child.lastOutput().split('\n').slice(-3).join('; ');
}

async function run(
  place: ClusterPlace,
  program: string,
  args: string[],
  stopOn: AbortSignal | undefined,
): Promise<void> {
  const child = await startChild({
    command: join(place.binaries, 'bin', program),
    args,
    cwd: '/',
    env: environment,
    stopOn,
    ...(place.user ? { user: place.user } : {}),
  });
  const { code, signal } = await child.exited;
  stopOn?.throwIfAborted();
  if (signal) throw new Error(`The embedded database could not be created: ${program} was ended by ${signal}.`);
  if (code !== 0) throw new Error(`The embedded database could not be created: ${lastWords(child)}`);
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
