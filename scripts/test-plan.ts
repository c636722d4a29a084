/** Which processes a run of the tests has, in which order they begin, and what is known of each from its path. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { testFilesIn } from '../test/support/import-tests.ts';
import type { Tier } from '../test/support/tier.ts';

/** A folder's `all.ts` runs all its files in one process; these folders start processes, and their files run each on their own. */
const GLOBS = ['test/**/all.ts', 'test/{boot,crash,fuzz}/*.test.ts'];

/** A failure here may be lost money that shows once in a thousand runs: it is never taken for noise. */
const PROTECTED = new Set(['crash', 'faults', 'race', 'settlement', 'properties', 'fuzz', 'chain', 'db']);

/** They begin first where no durations are known: what begins last and takes a minute leaves the cores idle at the end. */
const LONGEST = [
  'test/crash/random-kills.deep.test.ts',
  'test/faults/all.ts',
  'test/pages/all.ts',
  'test/people/all.ts',
  'test/oauth/all.ts',
  'test/settlement/all.ts',
  'test/pages/frames/all.ts',
  'test/api/all.ts',
  'test/arcade/all.ts',
  'test/properties/all.ts',
  'test/crash/kill-points.test.ts',
  'test/crash/two-processes.test.ts',
];

const MINUTE_MS = 60_000;

export function isProtected(path: string): boolean {
  return PROTECTED.has(path.split('/')[1] ?? '');
}

/** How long one test, and a whole process, may take on a busy machine. */
export function limitsOf(entry: string, tier: Tier): { readonly testMs: number; readonly processMs: number } {
  const deeper = tier === 'all' ? 4 : 1;
  return { testMs: (isProtected(entry) ? 10 * deeper : 5) * MINUTE_MS, processMs: 15 * deeper * MINUTE_MS };
}

/** The files whose tests a process runs; paths from `root`, as all here. */
export function filesOf(root: string, entry: string, tier: Tier): string[] {
  if (basename(entry) !== 'all.ts') return [entry];
  const folder = dirname(entry);
  return testFilesIn(join(root, folder), tier).map((file) => `${folder}/${file}`);
}

/** What a whole run of a tier starts as processes, in the order in which they begin. */
export function wholeRun(root: string, tier: Tier): string[] {
  const found = globSync(GLOBS, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const entries = found.filter((path) => tier === 'all' || !path.endsWith('.deep.test.ts')).sort();
  const seconds = readDurations(root)[tier];
  const first = (entry: string) => LONGEST.indexOf(entry) + 1 || LONGEST.length + 1;
  // What has not run yet begins first: nobody knows how long it takes.
  const left = (entry: string) => seconds?.[entry] ?? Number.POSITIVE_INFINITY;
  return entries.sort(seconds ? (a, b) => left(b) - left(a) : (a, b) => first(a) - first(b));
}

export type Durations = Partial<Record<Tier, Readonly<Record<string, number>>>>;

/** Seconds each process took when it last ran, by tier; nothing where that is not known. */
export function readDurations(root: string): Durations {
  try {
    return JSON.parse(readFileSync(durationsFile(root), 'utf8')) as Durations;
  } catch {
    return {};
  }
}

export function durationsFile(root: string): string {
  return join(root, 'test-results/durations.json');
}
