import { posix } from 'node:path';

/**
 * The arrows of docs/inside/architecture.md, as data and one pure function. A file may import files of its own module and of
 * lower levels, never of its own level's other modules: those meet above.
 */
const LEVELS: readonly (readonly string[])[] = [
  // main.ts, and wings.ts with the list of wings
  ['wiring'],
  // What a wing's door adds to the core. Its other files are in rooms of their own, of the levels below.
  ['wings'],
  // Puts the parts together, starts them and ends them.
  ['process'],
  ['api', 'pages', 'jobs', 'cli'],
  // What every hosted page shares: layout, headers, assets, forms, who is signed in.
  ['web'],
  // The server below API and pages: limits, connections, problems, health, metrics, the request log.
  ['http'],
  // Verbs, by noun: what callers change, they change here.
  ['features'],
  // Doctor, health, the audit: what is wrong, and how it is found.
  ['diagnostics'],
  // Read models.
  ['views'],
  ['settlement'],
  // What a wing stores.
  ['store'],
  // What everybody above stands on: the service that is passed around, an instruction, idempotent answers, unknown outcomes.
  ['service'],
  [
    ...['ledger', 'identity', 'custody', 'chain', 'requests', 'idempotency', 'oauth', 'mail', 'webhooks'],
    ...['operator-log', 'operator-actions', 'membership'],
  ],
  // `words`: every sentence that players read.
  ['db', 'config', 'words'],
  ['base'],
];

type PackageRule = {
  readonly packages: RegExp;
  readonly homes: RegExp;
  readonly say: string;
  /** Whether bench has to respect it too. */
  readonly holdsInBench?: true;
};

const PACKAGE_RULES: readonly PackageRule[] = [
  // The tests compare our encoders and tokens with them. The service starts faster without them.
  { packages: /^(viem|jose)$/, homes: /^test\//, say: 'test', holdsInBench: true },
  { packages: /^(pg|node-pg-migrate)$/, homes: /^(src\/db|local\/postgres)\//, say: 'src/db and local/postgres' },
  {
    packages: /^(fastify|@fastify\/.+)$/,
    homes: /^src\/(wings\/[\w-]+\/)?(http|api|web|pages)\/|^src\/process\/site\.ts$|^local\/emulator\//,
    say: 'src/http, api, web, pages, the pages of wings, process/site.ts and local/emulator',
  },
  { packages: /^oidc-provider$/, homes: /^src\/oauth\//, say: 'src/oauth' },
  { packages: /^nodemailer$/, homes: /^src\/mail\//, say: 'src/mail' },
  { packages: /^@simplewebauthn\/server$/, homes: /^src\/identity\//, say: 'src/identity' },
  { packages: /^prom-client$/, homes: /^src\/http\//, say: 'src/http' },
  {
    packages: /^commander$/,
    homes: /^(src\/(wings\/[\w-]+\/)?|local\/emulator\/)cli\//,
    say: 'src/cli and the commands of wings',
  },
  { packages: /^marked$/, homes: /^src\/wings\/documents\//, say: 'src/wings/documents' },
  { packages: /^secp256k1$/, homes: /^src\/custody\//, say: 'src/custody' },
];

/** Names that say nothing, so that everything ends up under them. */
const NAMELESS = /^(.+-)?(utils?|helpers?)$|^(common|misc)$/;

// Comments and string literals are matched only to be skipped. `from` is the module of a statement, `call` that of a
// dynamic import; a computed import leaves `call` empty.
const IMPORTS = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
    String.raw`^[ \t]*(?:import|export)\b(?:[^'"\`;()=]*?\bfrom)?\s*['"](?<from>[^'"\n]+)['"]`,
    String.raw`(?<dynamic>\bimport)\s*\(\s*(?:\/\*[\s\S]*?\*\/\s*)?(?:['"\`](?<call>[^'"\`\n$]+)['"\`])?`,
    String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\`(?:\\[\s\S]|[^\`\\])*\``,
  ].join('|'),
  'gm',
);

const TESTS_IMPORT = /^import \{([^}]*)\} from 'node:test';/m;

/** Lists what a source imports, including types: `./x.ts`, `pg`; null for a computed dynamic import. */
export function importsOf(source: string): (string | null)[] {
  return [...source.matchAll(IMPORTS)]
    .filter(({ groups }) => groups?.from || groups?.dynamic)
    .map(({ groups }) => groups?.from ?? groups?.call ?? null);
}

/**
 * Lists every breach of the arrows, one sentence each. `files` maps paths from the root (`src/db/migrate.ts`) to sources.
 * Files below src/ must respect the arrows and package rules, those below bench/ some package rules. Files below sdk/ must not import src. Files below local/ may import
 * src and local only. Files below test/ may contain tests only in `*.test.ts`. All names must say something.
 */
export function findBreaches(files: ReadonlyMap<string, string>): string[] {
  const breaches: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, source] of files) {
    breaches.push(...nameBreaches(path), ...testBreaches(path, source));
    breaches.push(...emulatorsPointBreaches(path, source));
    if (path.startsWith('bench/')) breaches.push(...benchBreaches(path, source));
    if (path.startsWith('test/')) breaches.push(...testArrowBreaches(path, source));
    if (!/^(src|words|local|sdk)\//.test(path)) continue;
    const targets: string[] = [];
    for (const specifier of importsOf(source)) {
      if (specifier === null) {
        breaches.push(`${path} has a computed import, whose arrow cannot be checked. Name the file.`);
      } else if (specifier.startsWith('.')) {
        const target = posix.join(posix.dirname(path), specifier);
        targets.push(target);
        breaches.push(...arrowBreaches(path, target));
      } else {
        breaches.push(...packageBreaches(path, specifier));
      }
    }
    graph.set(path, targets);
  }
  return [...new Set([...breaches, ...cycles(graph), ...twoWays(graph)])];
}

function nameBreaches(path: string): string[] {
  return path
    .split('/')
    .map((part) => part.replace(/\..*$/, ''))
    .filter((part) => NAMELESS.test(part))
    .map((part) => `${path}: "${part}" says nothing about what is inside. Name it after what it does.`);
}

/** Extension points through which an addition could stand before a payment, or change what a webhook says. */
const EMULATORS_POINTS = /\b(OPERATION_HOOKS|DELIVERY_GATES|DELIVERY_PACE|RECEIVERS_TIME)\b/;

function emulatorsPointBreaches(path: string, source: string): string[] {
  const [, point] = (path.startsWith('src/wings') && EMULATORS_POINTS.exec(source)) || [];
  return point ? [`${path} names ${point}: only local/emulator adds to it, and no program for players has that.`] : [];
}

/** A failing test runs again with its own file, so that file must be runnable. */
function testBreaches(path: string, source: string): string[] {
  if (!path.startsWith('test/') || path.endsWith('.test.ts')) return [];
  const names = TESTS_IMPORT.exec(source)?.[1]?.split(',') ?? [];
  return names
    .map((name) => name.trim())
    .filter((name) => ['test', 'it', 'describe', 'suite'].includes(name))
    .map((name) => `${path} imports ${name} of node:test: tests are written in *.test.ts files.`);
}

/** What tests share, from above: what needs Chromium, what needs a service or a database, what needs neither, and the runner's own. */
const KIT = ['kit/browser', 'kit/service', 'kit/unit', 'kit/run'];

/** A test fetches helpers from its own folder and from the kit, never from another test's folder. */
function testArrowBreaches(from: string, source: string): string[] {
  const roomOf = (path: string) =>
    path.startsWith('test/rows/') ? 'kit/service' : path.split('/').slice(1, 3).join('/');
  const levelOfRoom = (path: string) => KIT.indexOf(roomOf(path));
  return importsOf(source).flatMap((specifier) => {
    if (!specifier?.startsWith('.')) return [];
    const to = posix.join(posix.dirname(from), specifier);
    if (!to.startsWith('test/')) return [];
    if (levelOfRoom(to) >= 0) {
      return levelOfRoom(from) > levelOfRoom(to) ? [`${from} imports ${to}: the kit's arrows point down.`] : [];
    }
    const isOwn = to.split('/')[1] === from.split('/')[1];
    // A release's public tests aim at an installation that the releases' tests have started.
    if (isOwn || (from.startsWith('test/releases/') && to.startsWith('test/public/'))) return [];
    return [`${from} imports ${to}: what two folders of tests share is in test/kit.`];
  });
}

const WING = /^src\/wings\/([\w-]+)\//;
/** The one file that names all wings. */
const LIST_OF_WINGS = 'src/wings.ts';

/** `src/db/migrate.ts` → `db`, `src/main.ts` → `wiring`; of a wing, `src/wings/doctor/cli/doctor.ts` → `cli`, `src/wings/doctor/wing.ts` → `wings`. */
function moduleOf(path: string): string {
  const [, room = '', ...rest] = path.replace(WING, 'src/').split('/');
  if (rest.length > 0) return room;
  return WING.test(path) ? 'wings' : 'wiring';
}

/** The core imports no wing, and wings import no other wing. */
function wingBreach(from: string, to: string): string | null {
  const [own, other] = [WING.exec(from)?.[1], WING.exec(to)?.[1]];
  if (!other || own === other || from === LIST_OF_WINGS) return null;
  return own
    ? `${from} imports ${to}: wings import no other wing. What two of them need is in the core.`
    : `${from} imports ${to}: the core imports no wing. Declare an extension point, and let the wing add to it.`;
}

function levelOf(path: string): number {
  return LEVELS.findIndex((modules) => modules.includes(moduleOf(path)));
}

function arrowBreaches(from: string, to: string): string[] {
  if (from.startsWith('local/')) {
    return /^(src|local)\//.test(to) ? [] : [`${from} imports ${to}: local imports src and itself alone.`];
  }
  const wing = wingBreach(from, to);
  if (wing) return [wing];
  const home = from.slice(0, 4);
  // The sentences of a language are data beside the source, of which the rooms above `base` may take.
  if (home === 'src/' && to.startsWith('words/')) return [];
  if (from.startsWith('words/')) {
    return /^(words|src\/base)\//.test(to) ? [] : [`${from} imports ${to}: sentences take formats of base alone.`];
  }
  if (!to.startsWith(home)) return [`${from} imports ${to}: nothing outside ${home} may be imported there.`];
  if (home === 'sdk/' || moduleOf(from) === moduleOf(to)) return [];
  for (const path of [from, to]) {
    if (levelOf(path) < 0)
      return [`${path}: src/${moduleOf(path)} has no place in the arrows of scripts/architecture.ts.`];
  }
  if (levelOf(to) < levelOf(from))
    return [`${from} imports ${to}: that points up, from ${moduleOf(from)} to ${moduleOf(to)}.`];
  if (levelOf(to) === levelOf(from)) {
    return [
      `${from} imports ${to}: ${moduleOf(from)} and ${moduleOf(to)} are of one level and may not import each other. ` +
        'Pass what is needed as a value.',
    ];
  }
  return [];
}

function packageBreaches(path: string, specifier: string): string[] {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (path.startsWith('sdk/')) {
    return specifier.startsWith('node:') ? [] : [`${path} imports ${name}: the sdk has no dependencies.`];
  }
  const isBench = path.startsWith('bench/');
  return PACKAGE_RULES.filter(
    ({ packages, homes, holdsInBench }) => packages.test(name) && !homes.test(path) && (!isBench || holdsInBench),
  ).map(({ say }) => `${path} imports ${name}: that package is for ${say} only.`);
}

function benchBreaches(path: string, source: string): string[] {
  return importsOf(source).flatMap((specifier) => (specifier === null ? [] : packageBreaches(path, specifier)));
}

/** One sentence per cycle, which begins at its alphabetically first file. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const circle = trail.slice(start);
      const first = circle.indexOf([...circle].sort()[0] ?? path);
      const ordered = [...circle.slice(first), ...circle.slice(0, first)];
      found.add(`Import cycle: ${[...ordered, ordered[0]].join(' → ')}.`);
    } else if (!finished.has(path)) {
      for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
      finished.add(path);
    }
  };
  for (const path of graph.keys()) visit(path, []);
  return [...found];
}

/** One sentence for two rooms of features, or of views, that import each other: one of them holds what belongs below both. */
function twoWays(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const roomOf = (path: string) => /^src\/(?:features|views)\/[^/]+(?=\/)/.exec(path)?.[0];
  const ways = new Set<string>();
  for (const [path, targets] of graph) {
    for (const target of targets) {
      const [from, to] = [roomOf(path), roomOf(target)];
      if (from && to && from !== to) ways.add(`${from} ${to}`);
    }
  }
  return [...ways]
    .map((way) => way.split(' ') as [string, string])
    .filter(([from, to]) => from < to && ways.has(`${to} ${from}`))
    .map(([from, to]) => `${from} and ${to} import each other.`);
}
