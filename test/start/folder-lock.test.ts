import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderLockedError, lockFolder } from '../../src/process/data-folder.ts';
import { runScript } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

const holder = new URL('holds-lock.ts', import.meta.url);

test('of several concurrent starts one locks the folder, the others learn its pid, and its death frees the lock', async (t) => {
  const folder = join(await scratchFolder(t), 'data');
  const starters = await Promise.all([1, 2, 3, 4].map(() => runScript(t, holder, [folder])));
  const winners = starters.filter(({ line }) => line === 'won');
  assert.equal(winners.length, 1);
  const { pid, process: winner } = winners[0]!;
  for (const { line } of starters) assert.ok(line === 'won' || line === `lost to ${pid}`, line);

  await assert.rejects(lockFolder(folder), (error) => error instanceof FolderLockedError && error.holderPid === pid);
  // Its files are closed only when all its threads are gone. Its state in the list of processes changes earlier.
  const gone = once(winner, 'exit');
  process.kill(pid, 'SIGKILL');
  await gone;
  const lock = await lockFolder(folder);
  await assert.rejects(lockFolder(folder), { holderPid: process.pid });
  lock.release();
  (await lockFolder(folder)).release();
});

test('the folder is created for its owner alone', async (t) => {
  const folder = join(await scratchFolder(t), 'a', 'data');
  (await lockFolder(folder)).release();
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});
