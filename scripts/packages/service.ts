/**
 * `quarters`: the service with its commands, as it runs from a clone. Node strips no types below node_modules, so the sources are stripped
 * here, in place: folders, lines and columns stay, and what the program reads beside its files is where it expects it.
 */
import { existsSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Manifest, type Pack, packFolder, put, ROOT, readManifest, run } from './package.ts';

/** All that the program runs or reads. Tests, benchmarks and what only makes other files stay in the repository. */
const TAKEN = [
  'bin',
  'src',
  'local',
  'words',
  'migrations',
  'examples',
  // Examples import it.
  'sdk/src',
  // The documentation that is served.
  'docs/integrate',
  'docs/operate',
  'docs/openapi.json',
  'sdk/README.md',
  'sdk/csharp/README.md',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'sbom.cdx.json',
];

/** Of package.json, what concerns who installs it. */
const KEPT = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'type',
  'engines',
  'bin',
  'dependencies',
  'optionalDependencies',
];

export const packService: Pack = async (packing) => {
  const whole = await readManifest('package.json');
  const manifest = Object.fromEntries(KEPT.map((name) => [name, whole[name]])) as Manifest;
  const file = await packFolder(packing, manifest, async (folder) => {
    for (const path of await sources()) await put(folder, ...packed(path, await readFile(join(ROOT, path))));
    await chmod(join(folder, 'bin/quarters.mjs'), 0o755);
  });
  return [file];
};

/** What git knows or would take: no file of a user's, such as a data folder. */
async function sources(): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...TAKEN];
  const { stdout } = await run('git', args, { cwd: ROOT, maxBuffer: 10_000_000 });
  const isRead = (path: string) => !/^(src|local)\/.*README\.md$|\.test\.ts$/.test(path);
  return [...new Set(stdout.split('\0'))].filter((path) => path && isRead(path) && existsSync(join(ROOT, path)));
}

function packed(path: string, body: Buffer): [path: string, body: string | Buffer] {
  if (path.endsWith('.mjs')) return [path, withScriptNames(body.toString())];
  if (!path.endsWith('.ts') || path.endsWith('.d.ts')) return [path, body];
  return [asScript(path), withScriptNames(stripTypeScriptTypes(body.toString()))];
}

/** Imports, and files that are started, are named by relative paths. Another way would fail only when it is installed. */
function withScriptNames(source: string): string {
  const renamed = source.replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\1/g, (_, quote, path) => quote + asScript(path) + quote);
  const [left] = /(['"])[^'"\n]*\w(?<!\.d)\.ts\1/.exec(renamed) ?? [];
  if (left) throw new Error(`A source names ${left}. Name it from its own folder, as './…' or '../…'.`);
  return renamed;
}

function asScript(path: string): string {
  return path.endsWith('.d.ts') ? path : path.replace(/\.ts$/, '.js');
}
