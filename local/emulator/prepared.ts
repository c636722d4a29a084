import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RELEASE } from '../../src/config/release.ts';
import { anvilBinary } from '../anvil/node.ts';
import { installedPostgres } from '../postgres/binaries.ts';
import { unprivilegedUser } from '../postgres/place.ts';
import { makeThrowawayFolder } from './throwaway-folder.ts';

// A first start makes a database and deploys contracts, which takes seconds. Each further one continues from a copy.

/** What every emulator of this release begins with. */
export type Prepared = {
  /** With the files of PostgreSQL, as `startEmbeddedPostgres` finds them in a data folder. */
  readonly folder: string;
  /** For anvil's `--load-state`. */
  readonly chainState: string;
  /** Its newest block. */
  readonly block: number;
};

/** Raised whenever what is prepared has to be made anew for another reason than those in {@link fingerprint}. */
const FORM = 5;

/** Each release and each migration prepares a folder of its own, of some 45 MB. */
const UNUSED_FOR_MS = 30 * 86_400_000;

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const CONTRACTS = fileURLToPath(new URL('../../src/chain/contracts.generated', import.meta.url));

/** `env`: what a first start reads. */
async function fingerprint(env: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([FORM, RELEASE, process.platform, process.arch, process.getuid?.() === 0, env]));
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    if (/^\d+_.*\.sql$/.test(name)) hash.update(name).update(await readFile(new URL(name, MIGRATIONS)));
  }
  // Sources where this is a clone, JavaScript where it is an installed package.
  for (const end of ['.ts', '.js']) hash.update(await readFile(`${CONTRACTS}${end}`).catch(() => ''));
  const packages = [join(await installedPostgres(), '..'), join(anvilBinary(), '..', '..')];
  for (const folder of packages) hash.update(await readFile(join(folder, 'package.json')));
  return hash.digest('hex').slice(0, 32);
}

function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(caches, 'quarters', 'emulator');
}

const run = promisify(execFile);
const kept = (folder: string) => join(folder, 'prepared.json');
const chainStateIn = (folder: string) => join(folder, 'chain-state.json');

/**
 * Finds what an earlier start has prepared, or lets `make` prepare it in a folder. Starts at the same time each make their own, and the first one
 * stays. Who prepares removes what was not used for {@link UNUSED_FOR_MS}.
 */
export async function findPrepared(
  env: readonly string[],
  make: (folder: string) => Promise<{ readonly chainState: Buffer; readonly block: number }>,
): Promise<Prepared> {
  const folder = join(cacheFolder(), await fingerprint(env));
  const isMissing = !existsSync(kept(folder));
  if (isMissing) await prepare(folder, make);
  // Its time says when it was last used.
  await utimes(kept(folder), new Date(), new Date()).catch(() => {});
  if (isMissing) await removeUnused();
  const { block } = JSON.parse(await readFile(kept(folder), 'utf8')) as Pick<Prepared, 'block'>;
  return { folder, block, chainState: chainStateIn(folder) };
}

async function removeUnused(): Promise<void> {
  for (const name of await readdir(cacheFolder())) {
    const folder = join(cacheFolder(), name);
    const usedAt = await stat(kept(folder)).catch(() => null);
    if (!usedAt || usedAt.mtimeMs >= Date.now() - UNUSED_FOR_MS) continue;
    // First the file without which a folder is not used.
    for (const path of [kept(folder), folder]) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function prepare(folder: string, make: Parameters<typeof findPrepared>[1]): Promise<void> {
  await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
  const part = await makeThrowawayFolder(`${folder}-`);
  const first = await makeThrowawayFolder(join(tmpdir(), 'quarters-emulator-'));
  try {
    const { chainState, block } = await make(first.path);
    await copyDatabase(first.path, part.path);
    await writeFile(chainStateIn(part.path), chainState, { mode: 0o600 });
    await writeFile(kept(part.path), JSON.stringify({ block }), { mode: 0o600 });
    // Without its last file it is a part of one, as a cache may bring it.
    if (!existsSync(kept(folder))) await rm(folder, { recursive: true, force: true });
    await rename(part.path, folder);
  } catch (error) {
    if (!existsSync(kept(folder))) throw error;
  } finally {
    for (const { remove } of [first, part]) await remove();
  }
}

/** Copies the database of one data folder to another, with its owner, which may be another user than this one. It must be stopped. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const [source, target] = [join(from, 'postgres'), join(to, 'postgres')];
  if (!existsSync(join(source, 'cluster'))) {
    throw new Error(
      `PostgreSQL does not run as root, and its user cannot reach ${from}: set TMPDIR to a folder like /tmp.`,
    );
  }
  const reflink = process.platform === 'linux' ? ['--reflink=auto'] : [];
  await run('cp', ['-Rp', ...reflink, source, target]);
}

/** Gives a copy to the user that runs PostgreSQL. A cache, such as that of a CI, may have kept neither owners nor modes. */
export async function ownCopy(dataDir: string): Promise<void> {
  const cluster = join(dataDir, 'postgres', 'cluster');
  await chmod(cluster, 0o700);
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await unprivilegedUser();
  if ((await stat(cluster)).uid !== uid) await run('chown', ['-R', `${uid}:${gid}`, cluster]);
}
