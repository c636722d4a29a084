/**
 * Writes sbom.cdx.json, the software bill of materials (CycloneDX 1.6). It lists every package that runs in production or that
 * the committed contracts are compiled from, with version, licence, checksum, package URL and dependencies. `--check` compares
 * instead, and fails if the file is out of date.
 *
 * It is made from package-lock.json alone, without a time, serial number or tool version, so it is the same everywhere.
 * `npm sbom` reads the installed packages, which differ by platform.
 */
import { readFile, writeFile } from 'node:fs/promises';

type Locked = {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/** Not installed in production, but `src/chain/contracts.generated.ts` contains their output. */
const COMPILED_IN = new Set(['node_modules/@openzeppelin/contracts', 'node_modules/solc']);

const SBOM = new URL('../sbom.cdx.json', import.meta.url);
const read = async (name: string) => JSON.parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'));
const { name, version, license, description } = await read('package.json');
const packages: Readonly<Record<string, Locked>> = (await read('package-lock.json')).packages;

const paths = Object.keys(packages).filter((path) => path !== '' && (!packages[path]!.dev || COMPILED_IN.has(path)));
const listed = new Set(paths);
// One version may be installed in several places.
const components = [...Map.groupBy(paths, purl)].sort(([a], [b]) => (a < b ? -1 : 1));
const service = `pkg:npm/${name}@${version}`;

const written = `${JSON.stringify(
  {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        type: 'application',
        'bom-ref': service,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl: service,
      },
    },
    components: components.map(([ref, places]) => component(ref, places)),
    dependencies: [
      { ref: service, dependsOn: dependenciesOf('') },
      ...components.map(([ref, places]) => ({ ref, dependsOn: unique(places.flatMap(dependenciesOf)) })),
    ],
  },
  null,
  1,
)}\n`;

if (!process.argv.includes('--check')) {
  await writeFile(SBOM, written);
} else if ((await readFile(SBOM, 'utf8').catch(() => '')) !== written) {
  console.error('sbom.cdx.json is out of date. Run npm run generate.');
  process.exitCode = 1;
}

function component(ref: string, places: readonly string[]) {
  const path = places[0]!;
  const { version, license = '', integrity = '' } = packages[path]!;
  const [scope, name] = nameAt(path).startsWith('@') ? nameAt(path).split('/') : [undefined, nameAt(path)];
  return {
    type: 'library',
    'bom-ref': ref,
    ...(scope && { group: scope }),
    name,
    version,
    scope: COMPILED_IN.has(path) ? 'excluded' : places.every(isOptional) ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }],
    purl: ref,
  };
}

function isOptional(path: string): boolean {
  const { optional, devOptional } = packages[path]!;
  return Boolean(optional ?? devOptional);
}

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** https://github.com/package-url/purl-spec: a scope's `@` is encoded. */
function purl(path: string): string {
  return `pkg:npm/${nameAt(path).replace('@', '%40')}@${packages[path]!.version}`;
}

function dependenciesOf(path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = packages[path]!;
  const found = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    .map((dependency) => resolve(path, dependency))
    .filter((at) => at !== undefined && listed.has(at));
  return unique(found.map((at) => purl(at!)));
}

/** Finds `dependency` as Node.js does from `path`: in its own node_modules, or in those of the folders above. */
function resolve(path: string, dependency: string): string | undefined {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))) {
    const at = `${from === '' ? '' : `${from}/`}node_modules/${dependency}`;
    if (at in packages) return at;
    if (from === '') return undefined;
  }
}

function unique(refs: readonly string[]): string[] {
  return [...new Set(refs)].sort();
}
