/** What each package of a release has in common: where it goes, and how a folder becomes the file that npm installs. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');
export const run = promisify(execFile);

export type Packing = {
  /** The folder that gets the packages. */
  readonly out: string;
  /** Where the sources are, for the packages to say. */
  readonly repository?: string | undefined;
};

/** Writes one package into `out`: from the same sources the same bytes. Returns the names of its files there. */
export type Pack = (packing: Packing) => Promise<readonly string[]>;

/** npm's description of a package, as far as we read it. */
export type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly version: string;
};

export async function readManifest(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, path), 'utf8'));
}

/**
 * Makes an npm package of what `fill` puts into an empty folder, with `manifest` as its package.json. npm gives all files one time and one
 * owner, and sorts them.
 */
export async function packFolder(
  { out, repository }: Packing,
  manifest: Manifest,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarters-pack-'));
  try {
    await fill(folder);
    await put(
      folder,
      'package.json',
      `${JSON.stringify({ ...manifest, ...(repository && { repository }) }, null, 2)}\n`,
    );
    await mkdir(out, { recursive: true });
    const args = ['pack', folder, '--pack-destination', resolve(out), '--ignore-scripts', '--json', '--loglevel=error'];
    await run('npm', args, { cwd: folder });
    return `${manifest.name}-${manifest.version}.tgz`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function put(folder: string, path: string, body: string | Buffer): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, body);
}
