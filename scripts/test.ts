/**
 * `npm test`: every test, four files at a time on one PostgreSQL. `npm test -- <files>`: only these.
 */
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';

const ROOT = join(import.meta.dirname, '..');
const AT_ONCE = 4;
const TIMEOUT_MS = 180_000;

/** A folder's `all.ts` runs all its files in one process; these folders start processes, and their files run each on their own. */
const GLOBS = ['test/**/all.ts', 'test/{boot,crash,fuzz}/*.test.ts'];

/** They begin first: what begins last and takes a minute leaves the cores idle at the end. */
const LONGEST = [
  'test/faults/all.ts',
  'test/crash/random-kills.test.ts',
  'test/pages/all.ts',
  'test/people/all.ts',
  'test/oauth/all.ts',
  'test/pages/frames/all.ts',
  'test/api/all.ts',
  'test/arcade/all.ts',
  'test/settlement/all.ts',
  'test/crash/kill-points-healing.test.ts',
  'test/crash/kill-points.test.ts',
  'test/fuzz/description.test.ts',
];

/** The files of a whole run, in the order in which they begin; paths from the repository's root. */
export function wholeRun(): string[] {
  return [...new Set([...LONGEST, ...globSync(GLOBS, { cwd: ROOT }).sort()])];
}

if (import.meta.main) {
  const named = process.argv.slice(2);
  await globalSetup();
  const tests = run({
    files: (named.length > 0 ? named : wholeRun()).map((file) => resolve(ROOT, file)),
    cwd: ROOT,
    concurrency: AT_ONCE,
    timeout: TIMEOUT_MS,
  });
  tests.on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1;
  });
  tests.compose(new spec()).pipe(process.stdout);
  await finished(tests);
  await globalTeardown();
}
