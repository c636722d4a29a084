import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

/** Another process holds the folder. `holderPid` is undefined only if the holder could not store it. */
export class FolderLockedError extends Error {
  readonly holderPid: number | undefined;

  constructor(folder: string, holderPid: number | undefined) {
    super(`The data folder ${folder} is in use by ${holderPid ? `process ${holderPid}` : 'another process'}.`);
    this.name = 'FolderLockedError';
    this.holderPid = holderPid;
  }
}

type FolderLock = { release(): void };

/**
 * Locks the folder for this process and creates it (mode 0700) if it is missing.
 *
 * The lock is the one that SQLite's exclusive transaction takes on an empty file. The kernel grants it to one process and
 * releases it when that process dies, so it cannot be stale. Nothing else in this process may open the file: closing any
 * descriptor of it would drop the lock (POSIX record locks). So a second file holds the holder's pid.
 * @throws FolderLockedError
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const real = await realpath(folder);
  const pidFile = join(real, 'lock.pid');
  const database = new DatabaseSync(join(real, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    // 5 is SQLITE_BUSY. Any other error (read-only disk, no space) does not mean that another process was first.
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new FolderLockedError(folder, await readHolder(pidFile));
  }
  await writeFile(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      if (database.isOpen) database.close();
    },
  };
}

/** Reads the holder's pid. The holder writes it just after taking the lock; until then the file is missing or stale. */
async function readHolder(pidFile: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    if (pid > 0 && isAlive(pid)) return pid;
    await delay(25);
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Writes a file that only its owner may read (mode 0600). It appears complete or not at all. */
export async function writePrivateFile(path: string, value: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads the object in a file. Returns null if the file is missing or broken, because its writer can write it again. */
export async function readFields(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/**
 * Where a running service is, for commands on the same data folder. The file names the database and the chain only if they
 * are embedded. Commands read configured ones from the settings, so their passwords need not be stored here.
 */
export type Running = {
  readonly publicUrl: string;
  readonly databaseUrl?: string;
  readonly rpcUrls?: readonly string[];
  /** The service is in development mode. A command does not rely on this alone. */
  readonly development?: true;
  /** It is open to the developer's network. */
  readonly isLan?: true;
};

const fileIn = (dataDir: string) => join(dataDir, 'running.json');

export async function writeRunning(dataDir: string, running: Running): Promise<void> {
  await writePrivateFile(fileIn(dataDir), running);
}

/** Returns null if there is no readable file. After a kill -9 the file may be stale: then nothing answers there. */
export async function readRunning(dataDir: string): Promise<Running | null> {
  const fields = await readFields(fileIn(dataDir));
  if (typeof fields?.publicUrl !== 'string') return null;
  const { publicUrl, databaseUrl, rpcUrls, development, isLan } = fields;
  return {
    publicUrl,
    ...(typeof databaseUrl === 'string' && { databaseUrl }),
    ...(Array.isArray(rpcUrls) && { rpcUrls: rpcUrls.map(String) }),
    ...(development === true && { development }),
    ...(isLan === true && { isLan }),
  };
}

export async function removeRunning(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}
