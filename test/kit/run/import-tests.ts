import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, skip } from 'node:test';
import { loadAsOwn } from '../../../scripts/test-costs.ts';
import { notInTurnOfFiles } from './turns.ts';
import { stopTracking } from './untracked.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The names of a folder's test files of the usual tier, in the order in which they run. The others run alone. */
export function testFilesIn(folder: string): string[] {
  return globSync('*.test.ts', { cwd: folder })
    .filter((file) => !file.endsWith('.deep.test.ts'))
    .sort();
}

/**
 * Loads a folder's usual tests into this process, where they run one after the other: two thirds of a file's work is
 * loading and warming up. Every file can still run alone.
 */
export async function importTests(folder: string): Promise<void> {
  const { promise: loaded, resolve: release } = Promise.withResolvers<void>();
  // Otherwise the tests of the first files may end while the next one is being loaded, and the runner would take them for all, and clean up.
  before(() => loaded);
  try {
    for (const name of testFilesIn(folder)) {
      const file = join(folder, name);
      const reason = notInTurnOfFiles(relative(ROOT, file).replaceAll('\\', '/'));
      if (reason) skip(`${name}: ${reason}`);
      else await loadAsOwn(file, () => import(file));
    }
  } finally {
    stopTracking();
    release();
  }
}
