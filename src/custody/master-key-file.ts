import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { localMasterKey, type MasterKey } from './master-key.ts';

/** The file the settings name, or the one of the data folder. */
export function masterKeyPath(settings: { readonly masterKeyFile: string; readonly dataDir: string }): string {
  return settings.masterKeyFile || join(settings.dataDir, 'master.key');
}

/**
 * Reads the master key from a file of 64 hexadecimal digits. `mayCreate`: makes the file (mode 0600) where it is missing or
 * empty; only right while nothing is sealed yet.
 *
 * Throws a readable Error.
 */
export async function masterKeyFromFile(path: string, mayCreate: boolean): Promise<MasterKey> {
  let text = await readOrNull(path);
  if (mayCreate && !text?.trim()) {
    await create(path, text !== null);
    // What counts is what is there: another process may have been first.
    text = await readOrNull(path);
  }
  if (text === null) {
    throw new Error(
      `The master key file ${path} is missing. Without it the accounts' keys can not be opened: put it back.`,
    );
  }
  if (!/^[0-9a-fA-F]{64}$/.test(text.trim())) {
    throw new Error(`The master key file ${path} must hold 64 hexadecimal digits (32 bytes).`);
  }
  return localMasterKey(Buffer.from(text.trim(), 'hex'));
}

/** Whether others on this machine than the file's owner may read it. */
export async function othersMayRead(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o044) !== 0;
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`The master key file ${path} can not be read: ${error.message}`);
  });
}

/**
 * The whole file appears at once and is on disk before anything is sealed under it: a start that is cut off here leaves no
 * file that the next one can not read. An empty file gives way, any other one stays.
 */
async function create(path: string, replaceEmpty: boolean): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A name of its own: two processes must not write into one file.
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    await writeAndSync(part, `${randomBytes(32).toString('hex')}\n`);
    if (replaceEmpty) await rename(part, path);
    else await link(part, path).catch(unlessThere);
  } finally {
    await rm(part, { force: true });
  }
  await syncFolder(folder);
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** The name too must be on disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
