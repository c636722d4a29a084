import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { copiedPostgres } from './binaries.ts';

type SystemUser = { uid: number; gid: number };

/** Where the database's files and binaries are, and which user runs it (`undefined`: our own). */
export type ClusterPlace = { folder: string; binaries: string; user: SystemUser | undefined };

// PostgreSQL refuses to run as root, and these users exist nearly everywhere. A user without an entry does not work,
// because initdb looks up its own user by name.
const candidates = ['postgres', '_postgres', 'nobody', 'daemon'];

/**
 * Finds the cluster's place for a data folder: inside it, if the user that runs PostgreSQL can get there.
 *
 * When we are root, that user is another one. If the data folder is ours alone, its group may then pass through it. Folders
 * above it, such as a home, are never changed. If that user cannot pass them, the cluster goes to /var/lib/quarters, and
 * `<dataDir>/postgres/place` says where.
 */
export async function findClusterPlace(
  dataDir: string,
  native: string,
  log: (message: string) => void,
): Promise<ClusterPlace> {
  const inside = join(await realpath(dataDir), 'postgres');
  if (process.getuid?.() !== 0) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    return { folder: inside, binaries: native, user: undefined };
  }
  const user = await unprivilegedUser();
  await mkdir(inside, { recursive: true, mode: 0o711 });
  const note = join(inside, 'place');
  const noted = (await readFile(note, 'utf8').catch(() => '')).trim();
  let folder = noted || inside;
  if (!noted && !(await makeReachable(inside, user))) {
    folder = join(await outside(), `cluster-${randomBytes(8).toString('hex')}`);
    log(`The database's system user cannot reach ${dataDir}, so the database is in ${folder}.`);
  }
  if (folder !== inside) {
    await mkdir(folder, { recursive: true });
    // Set explicitly, because the umask limits mkdir.
    await chmod(folder, 0o711);
    await claim(folder, inside);
    if (!noted) await writeWhole(note, `${folder}\n`);
  }
  const binaries = (await canPass(join(native, 'bin', 'postgres'), user))
    ? native
    : await copiedPostgres(native, await outside());
  return { folder, binaries, user };
}

/** Who runs PostgreSQL when we are root. */
export async function unprivilegedUser(): Promise<SystemUser> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of candidates) {
    const user = users.find((fields) => fields[0] === name);
    // macOS writes nobody as -2.
    if (user && Number(user[2]) !== 0) return { uid: Number(user[2]) >>> 0, gid: Number(user[3]) >>> 0 };
  }
  throw new Error(
    `PostgreSQL does not run as root, and none of the users ${candidates.join(', ')} exists. Start as another user, or set DATABASE_URL.`,
  );
}

/** Finds a lasting folder that root owns and that everyone can pass through. */
async function outside(): Promise<string> {
  for (const parent of ['/var/lib', '/var/tmp']) {
    const folder = join(parent, 'quarters');
    try {
      await mkdir(folder, { mode: 0o755 });
      await chmod(folder, 0o755);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') continue;
    }
    // In /var/tmp another user may have created it to plant files.
    if ((await stat(folder)).uid === 0) return folder;
  }
  throw new Error(
    'PostgreSQL does not run as root, and /var/lib cannot be written. Start as another user, or set DATABASE_URL.',
  );
}

/** Claims a folder outside for one data folder: a copied data folder must not share its original's database. */
async function claim(folder: string, inside: string): Promise<void> {
  const file = join(folder, 'data-folder');
  const owner = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (owner === inside) return;
  const others = owner && (await readFile(join(owner, 'place'), 'utf8').catch(() => '')).trim();
  if (others === folder) {
    throw new Error(
      `${dirname(inside)} is a copy of ${dirname(owner)}, whose database is in ${folder}. Two services cannot share that database.`,
    );
  }
  await writeWhole(file, `${inside}\n`);
}

/** Lets `user` pass to the folder if only the data folder itself is in the way. Returns whether it can. */
async function makeReachable(inside: string, user: SystemUser): Promise<boolean> {
  const dataDir = dirname(inside);
  if (!(await canPass(dirname(dataDir), user))) return false;
  if (!(await canPass(dataDir, user))) {
    const { mode, uid } = await stat(dataDir);
    if (uid !== 0 || (mode & 0o077) !== 0 || dataDir === (await realpath(homedir()))) return false;
    await chown(dataDir, 0, user.gid);
    await chmod(dataDir, 0o710);
  }
  await chmod(inside, 0o711);
  return canPass(inside, user);
}

/** Whether `user` may pass through every folder down to `path`, and through or execute `path` itself. */
async function canPass(path: string, user: SystemUser): Promise<boolean> {
  for (let at = await realpath(path); ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: 0o600, flush: true });
  await rename(`${path}.part`, path);
}
