import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeRunFolder } from '../kit/run/run-folder.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

test('a run’s files are in a folder of its own, which ends with it', async (t) => {
  const before = process.env.TMPDIR;
  const parent = await scratchFolder(t);
  const remove = makeRunFolder(parent);
  const folder = tmpdir();
  remove();
  assert.notEqual(folder, before);
  assert.equal(existsSync(folder), false);
  assert.equal(process.env.TMPDIR, before);
});

test('the folder of a run that was killed is removed by the next one, and that of a running one is not', async (t) => {
  const parent = await scratchFolder(t);
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const folders = [`quarters-tests-${ended}-a`, `quarters-tests-${process.ppid}-b`, 'quarters-tests-c', 'other-1'];
  for (const folder of folders) mkdirSync(join(parent, folder, 'files'), { recursive: true });
  makeRunFolder(parent)();
  assert.deepEqual(readdirSync(parent).sort(), folders.slice(1).sort());
});

test('without such a place in memory, a run’s files are where others are', (t) => {
  const others = tmpdir();
  const remove = makeRunFolder('/nowhere');
  t.after(remove);
  assert.equal(dirname(tmpdir()), others);
});
