import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decrypt, encrypt, type MasterKey } from './vault.ts';

/** Makes a master key that is held in memory. `key` has 32 bytes. */
export function localMasterKey(key: Uint8Array): MasterKey {
  return {
    wrap: async (secret, what) => encrypt(key, secret, what),
    unwrap: async (wrapped, what) => decrypt(key, wrapped, what),
  };
}

/** The file that the settings name, or else the one in the data folder. */
export function masterKeyPath(settings: { readonly masterKeyFile: string; readonly dataDir: string }): string {
  return settings.masterKeyFile || join(settings.dataDir, 'master.key');
}

/**
 * Reads the master key from a file of 64 hexadecimal digits. `mayCreate` creates the file (mode 0600) if it is missing or
 * empty, which is right only while nothing is sealed yet.
 *
 * Throws a readable Error.
 */
export async function masterKeyFromFile(path: string, mayCreate: boolean): Promise<MasterKey> {
  let text = await readOrNull(path);
  if (mayCreate && !text?.trim()) {
    await create(path, text !== null);
    // Read it back, because another process may have created it first.
    text = await readOrNull(path);
  }
  if (text === null) {
    throw new Error(
      `The master key file ${path} is missing. Restore it: without it, the accounts' keys cannot be opened.`,
    );
  }
  if (!/^[0-9a-fA-F]{64}$/.test(text.trim())) {
    throw new Error(`The master key file ${path} must hold 64 hexadecimal digits (32 bytes).`);
  }
  return localMasterKey(Buffer.from(text.trim(), 'hex'));
}

/**
 * Whether users other than this process may read the file. Somebody else's file, readable by a group, was given to us that way:
 * Kubernetes and systemd hand out secrets so.
 */
export async function othersMayRead(path: string): Promise<boolean> {
  const { mode, uid } = await stat(path);
  return (mode & (uid === process.getuid?.() ? 0o044 : 0o004)) !== 0;
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`The master key file ${path} cannot be read: ${error.message}`);
  });
}

/**
 * Creates the file in one step and waits until it is on disk, before anything is sealed under it. So a start that is cut off
 * here never leaves an unreadable file. An empty file is replaced; any other one stays.
 */
async function create(path: string, replaceEmpty: boolean): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A unique name, so that two processes do not write to one file.
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

/** Waits until the folder's entries are on disk: the file's name must survive too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
