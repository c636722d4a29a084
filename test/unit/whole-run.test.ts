import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { filesOf, isProtected, patienceOf, wholeRun } from '../../scripts/test-plan.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();

test('`npm run test:all` runs every test file once, alone or with its folder', () => {
  assert.ok(FILES.length > 100);
  const runs = wholeRun(ROOT, 'all').flatMap((entry) => filesOf(ROOT, entry));
  assert.deepEqual(runs.sort(), FILES);
});

test('`npm test` runs every test file once, except those only for `npm run test:all`', () => {
  const usual = FILES.filter((file) => !file.endsWith('.deep.test.ts'));
  const runs = wholeRun(ROOT, 'usual').flatMap((entry) => filesOf(ROOT, entry));
  assert.deepEqual(runs.sort(), usual);
});

test('a test waits a minute for what a page shows, and minutes where giving up means lost', () => {
  const isOfPages = (file: string) => file.startsWith('test/pages/') || file.startsWith('test/people/');
  for (const file of FILES.filter(isOfPages)) assert.equal(patienceOf(file), 60_000, file);
  for (const file of FILES.filter(isProtected)) assert.equal(patienceOf(file), 300_000, file);
});
