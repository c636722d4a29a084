/** Plans a test run: its processes, their order, and what each one's path says about it. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { testFilesIn } from '../test/kit/run/import-tests.ts';
import type { Tier } from '../test/kit/run/tier.ts';

/** A folder's `all.ts` runs its files of the usual tier in one process. All others run alone. */
const GLOBS = ['test/**/all.ts', 'test/{deploy,fuzz}/*.test.ts', 'test/**/*.deep.test.ts'];

/** A failure here may be lost money that shows once in a thousand runs, so it is never treated as noise. */
const PROTECTED = new Set([
  'crash',
  'faults',
  'race',
  'settlement',
  'properties',
  'fuzz',
  'chain',
  'db',
  'edr',
  'ha',
  'rolling',
]);

/** The tests of pages. Nobody waits a minute for a page, so what has not come by then never comes, and the run should say so soon. */
const OF_PAGES = new Set(['account', 'arcade', 'developer', 'oauth', 'operator', 'pages', 'people']);

/** The order if no durations are known: a long test that begins last leaves the cores idle at the end. */
const LONGEST = [
  'test/crash/random-kills.deep.test.ts',
  'test/start/all.ts',
  'test/faults/all.ts',
  'test/crash/all.ts',
  'test/settlement/all.ts',
  'test/operator/all.ts',
  'test/pages/all.ts',
  'test/api/all.ts',
  'test/people/all.ts',
  'test/race/all.ts',
  'test/developer/all.ts',
  'test/oauth/all.ts',
  'test/pages/frames/all.ts',
  'test/arcade/all.ts',
  'test/db/all.ts',
  'test/cli/all.ts',
  'test/unit/all.ts',
  'test/account/all.ts',
  'test/doctor/all.ts',
  'test/webhooks/all.ts',
  'test/chain/all.ts',
];

const MINUTE_MS = 60_000;

/** What a whole run of the usual tier may take of processor time, in seconds. It says so at its end, and fails for nothing. */
export const USUAL_BUDGET_S = 540;

export function isProtected(path: string): boolean {
  return PROTECTED.has(folderOf(path));
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Limits the time of one test and of a whole process, on a busy machine. */
export function limitsOf(entry: string, tier: Tier): { readonly testMs: number; readonly processMs: number } {
  const deeper = tier === 'all' ? 4 : 1;
  return { testMs: (isProtected(entry) ? 10 : 5) * deeper * MINUTE_MS, processMs: 40 * deeper * MINUTE_MS };
}

/** How long a test waits for one thing. Where giving up means lost and not late, for minutes. */
export function patienceOf(entry: string): number {
  return OF_PAGES.has(folderOf(entry)) ? MINUTE_MS : 5 * MINUTE_MS;
}

/** Lists the files whose tests a process runs, as paths from `root`. */
export function filesOf(root: string, entry: string): string[] {
  if (basename(entry) !== 'all.ts') return [entry];
  const folder = dirname(entry);
  return testFilesIn(join(root, folder)).map((file) => `${folder}/${file}`);
}

/** Lists the processes of a tier's whole run, in their order. */
export function wholeRun(root: string, tier: Tier): string[] {
  const found = globSync(GLOBS, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const isOfTier = (path: string) => tier === 'all' || !path.endsWith('.deep.test.ts');
  const entries = found.filter((path) => isOfTier(path) && filesOf(root, path).length > 0).sort();
  const seconds = readDurations(root)[tier];
  const first = (entry: string) => LONGEST.indexOf(entry) + 1 || LONGEST.length + 1;
  // A file that has never run begins first, because its duration is unknown.
  const left = (entry: string) => seconds?.[entry] ?? Number.POSITIVE_INFINITY;
  return entries.sort(seconds ? (a, b) => left(b) - left(a) : (a, b) => first(a) - first(b));
}

export type Durations = Partial<Record<Tier, Readonly<Record<string, number>>>>;

/** Reads how many seconds each process took in its last run, by tier. Empty if unknown. */
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
