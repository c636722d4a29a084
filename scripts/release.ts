/**
 * Makes a release, in two steps around its commit, and its packages (CONTRIBUTING.md):
 *
 *   node scripts/release.ts prepare 1.1.0   sets the version, dates the change log, and adds an entry to releases.json
 *   node scripts/release.ts record          names the commit of the last entry, HEAD, in releases.json
 *   node scripts/release.ts pack            writes the packages, their bill of materials and checksums into release/
 *
 * None commits or tags: the first two print what to run next. `pack` takes another folder, and `--repository <address>`, which the
 * packages then name as the place of their sources.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { RELEASE } from '../src/config/release.ts';
import { nuGetProjectFiles } from './packages/nuget-projects.ts';
import { PACKAGES } from './packages/packages.ts';
import { migrationsIn, type ReleaseEntry, readReleases } from './releases.ts';

const root = resolve(import.meta.dirname, '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));
const store = (releases: readonly ReleaseEntry[]) =>
  writeFileSync(join(root, 'releases.json'), `${JSON.stringify(releases, null, 2)}\n`);

const { values, positionals } = parseArgs({ options: { repository: { type: 'string' } }, allowPositionals: true });
const [step, named] = positionals;
if (step === 'prepare') prepare(named ?? '');
else if (step === 'record') record();
else if (step === 'pack') await pack(resolve(named ?? 'release'));
else fail('Use: node scripts/release.ts prepare <version>, record, or pack [folder] [--repository <address>]');

function prepare(version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) fail('Name the version, such as 1.1.0.');
  if (git('status', '--porcelain') !== '') fail('The working tree has changes. Commit them first.');
  const releases = readReleases(root);
  if (releases.some((release) => release.version === version)) fail(`${version} is in releases.json already.`);
  const date = new Date().toISOString().slice(0, 10);
  edit('CHANGELOG.md', (text) => {
    const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text);
    if (!unreleased?.[1]?.trim()) fail('CHANGELOG.md says nothing under "## Unreleased".');
    return text.replace(/^## Unreleased$/m, `## ${version} - ${date}`);
  });
  // Not every release changes the C# library.
  edit('sdk/csharp/CHANGELOG.md', (text) => text.replace(/^## Unreleased$/m, `## ${version} - ${date}`));
  for (const path of ['package.json', 'sdk/package.json', 'sdk/emulator/package.json', 'sdk/csharp/package.json'])
    edit(path, (text) => text.replace(/^ {2}"version": ".*"/m, `  "version": "${version}"`));
  for (const path of nuGetProjectFiles())
    edit(path, (text) => text.replace(/<Version>.*<\/Version>/, `<Version>${version}</Version>`));
  for (const page of ['README.md', 'sdk/README.md', 'sdk/emulator/README.md', 'docs/operate/releases.md'])
    edit(page, (text) => text.replaceAll(/(?<=quarters[\w.-]*[-.])\d+\.\d+\.\d+(?=\.(?:tgz|nupkg))/gi, version));
  // The two places of the lock file that name this package.
  edit('package-lock.json', (text) =>
    text.replaceAll(/("name": "quarters",\n\s*"version": )"[^"]+"/g, `$1"${version}"`),
  );
  store([...releases, { version, date, compatibility: RELEASE.compatibility, commit: null, migration: null }]);
  say(
    'Now run: npm run generate && npm run check && npm run test:all',
    `Then commit everything as "release: ${version}"`,
  );
  say('and run: node scripts/release.ts record');
}

function record(): void {
  const releases = readReleases(root);
  const last = releases.at(-1);
  if (!last || last.commit !== null) fail('The last release in releases.json has its commit already.');
  if (last.version !== RELEASE.version) fail(`The tree is version ${RELEASE.version}, and not ${last.version}.`);
  if (git('status', '--porcelain') !== '') fail('The working tree has changes. Commit the release first.');
  const commit = git('rev-parse', 'HEAD');
  store([...releases.slice(0, -1), { ...last, commit, migration: migrationsIn(root).at(-1)! }]);
  say(`Now run: git commit -m "release: record the commit of ${last.version}" releases.json`);
  say(`and:     git tag -a v${last.version} -m "Quarters ${last.version}" ${commit}`);
}

async function pack(out: string): Promise<void> {
  const files = [];
  for (const packOne of PACKAGES) files.push(...(await packOne({ out, repository: values.repository })));
  const bill = 'sbom.cdx.json';
  copyFileSync(join(root, bill), join(out, bill));
  // As sha256sum writes it: `sha256sum --check SHA256SUMS` reads it.
  const sums = [...files, bill].toSorted().map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')}  ${file}\n`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  say(...files.map((file) => join(out, file)));
}

function say(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
