import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { test } from 'node:test';

test('`npm test` runs every test file, by itself or with its folder', () => {
  const cwd = resolve(import.meta.dirname, '../..');
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as { scripts: { test: string } };
  const globs = [...scripts.test.matchAll(/'([^']+)'/g)].map(([, glob]) => glob!);
  const runs = (path: string) => globs.some((glob) => matchesGlob(path, glob));
  const files = globSync('test/**/*.test.ts', { cwd });
  assert.ok(files.length > 100);
  const folders = new Set(globSync('test/**/all.ts', { cwd }).filter(runs).map(dirname));
  for (const file of files) {
    assert.notEqual(runs(file), folders.has(dirname(file)), `${file} must be run once`);
  }
});
