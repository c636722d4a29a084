import { randomBytes } from 'node:crypto';
import { chmod, chown, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { MasterKey } from './data-keys.ts';
import { outputOfCommand } from './master-key-command.ts';
import { decrypt, encrypt } from './vault.ts';

/** Makes a master key that is held in memory. `key` has 32 bytes. */
export function localMasterKey(key: Uint8Array): MasterKey {
  return {
    wrap: async (secret, what) => encrypt(key, secret, what),
    unwrap: async (wrapped, what) => decrypt(key, wrapped, what),
  };
}

export type KeySettings = Pick<Settings, 'masterKey' | 'masterKeyCommand' | 'masterKeyFile' | 'dataDir'>;

/** Where the settings say that the master key is. */
export type MasterKeySource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable' }
  | { readonly kind: 'command'; readonly command: string };

export function masterKeySource({ masterKey, masterKeyCommand, masterKeyFile, dataDir }: KeySettings): MasterKeySource {
  if (masterKey) return { kind: 'variable' };
  if (masterKeyCommand) return { kind: 'command', command: masterKeyCommand };
  return { kind: 'file', path: masterKeyFile || join(dataDir, 'master.key') };
}

/** For people: the place, without what the setting holds. */
export function describeSource(source: MasterKeySource): string {
  if (source.kind === 'file') return source.path;
  return source.kind === 'variable' ? 'MASTER_KEY' : 'the output of MASTER_KEY_COMMAND';
}

/** Reads the master key from where the settings say. `mayCreate`: as {@link masterKeyFromFile} says. */
export async function readMasterKey(settings: KeySettings, mayCreate = false): Promise<MasterKey> {
  const source = masterKeySource(settings);
  if (source.kind === 'variable') return localMasterKey(settings.masterKey!);
  if (source.kind === 'file') return masterKeyFromFile(source.path, mayCreate);
  const output = (await outputOfCommand(source.command)).trim();
  if (!HEX_KEY.test(output)) {
    throw new Error(
      `MASTER_KEY_COMMAND must print 64 hexadecimal digits (32 bytes) and nothing else. It printed ${output === '' ? 'nothing' : 'something else'}.`,
    );
  }
  return localMasterKey(Buffer.from(output, 'hex'));
}

const HEX_KEY = /^[0-9a-fA-F]{64}$/;

/**
 * Reads the master key from a file of 64 hexadecimal digits. `mayCreate` creates the file (mode 0600) if it is missing or
 * empty, which is right only while nothing is sealed yet.
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
  if (!HEX_KEY.test(text.trim())) {
    throw new Error(`The master key file ${path} must hold 64 hexadecimal digits (32 bytes).`);
  }
  return localMasterKey(Buffer.from(text.trim(), 'hex'));
}

/** Where the new key lies until it replaces the one in the file. */
export const nextKeyPath = (path: string): string => `${path}.next`;

/** Makes the new key for a key file, beside it and with its owner and rights, or reads the one that an earlier call has made. */
export async function makeNextKeyFile(path: string): Promise<MasterKey> {
  const next = nextKeyPath(path);
  const key = await masterKeyFromFile(next, true);
  const [{ mode, uid, gid }, made] = [await stat(path), await stat(next)];
  if (made.uid !== uid || made.gid !== gid) await chown(next, uid, gid);
  if (made.mode !== mode) await chmod(next, mode & 0o777);
  return key;
}

/**
 * Replaces the key file by the one that {@link makeNextKeyFile} has made. The old key stays beside it, because older backups need it. Returns
 * its path. A call that was killed at any point can be repeated: the file always holds the old key or the new one.
 */
export async function replaceKeyFile(path: string): Promise<string> {
  const old = await keepOldKey(path);
  await rename(nextKeyPath(path), path);
  await syncFolder(dirname(path));
  return old;
}

async function keepOldKey(path: string): Promise<string> {
  const key = await readFile(path, 'utf8');
  for (let number = 1; ; number++) {
    const old = number === 1 ? `${path}.old` : `${path}.old-${number}`;
    const there = await readOrNull(old);
    if (there === key) return old;
    if (there !== null) continue;
    await link(path, old);
    await syncFolder(dirname(path));
    return old;
  }
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
