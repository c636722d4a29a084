import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { wholeRun } from '../../scripts/test.ts';

test('`npm test` runs every test file, by itself or with its folder', () => {
  const cwd = resolve(import.meta.dirname, '../..');
  const runs = wholeRun();
  const files = globSync('test/**/*.test.ts', { cwd });
  assert.ok(files.length > 100);
  const folders = new Set(runs.filter((path) => path.endsWith('/all.ts')).map(dirname));
  for (const file of files) {
    assert.notEqual(runs.includes(file), folders.has(dirname(file)), `${file} must be run once`);
  }
  for (const path of runs) assert.ok(existsSync(resolve(cwd, path)), `${path} is there`);
});
