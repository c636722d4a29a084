/**
 * Part of `npm run check`: how large the packages are that a service needs, without those of a platform (Node.js, PostgreSQL, anvil). Fails if they
 * outgrow what docs/operate/releases.md says, as after an update. `--all` lists every package of an installation.
 */
import { globSync, lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const MOST_MB = 100;

type Locked = { readonly dev?: boolean; readonly devOptional?: boolean; readonly optional?: boolean };
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
const installed = Object.entries(lock.packages)
  .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
  .map(([path, { optional = false }]) => ({ path, optional, megabytes: sizeOf(path) }))
  .toSorted((one, other) => other.megabytes - one.megabytes);

if (process.argv.includes('--all'))
  for (const { path, megabytes } of installed) console.log(`${megabytes.toFixed(1)} MB ${path}`);
const needed = installed.filter(({ optional }) => !optional).reduce((sum, { megabytes }) => sum + megabytes, 0);
if (needed > MOST_MB) {
  console.error(
    `What a service needs of node_modules has ${needed.toFixed(0)} MB, and at most ${MOST_MB} are allowed.`,
  );
  process.exitCode = 1;
}

/** On the disk. The lock file lists packages inside of a package by themselves. */
function sizeOf(folder: string): number {
  const cwd = join(ROOT, folder);
  const paths = globSync('**/*', { cwd, exclude: (name) => name === 'node_modules' });
  return paths.reduce((total, path) => total + lstatSync(join(cwd, path)).blocks * 512, 0) / 2 ** 20;
}
