import { globSync } from 'node:fs';
import { join } from 'node:path';
import { loadAsOwn } from '../../scripts/test-costs.ts';
import { currentTier, type Tier } from './tier.ts';

/** The names of a folder's test files of a tier, in the order in which they run. */
export function testFilesIn(folder: string, tier: Tier): string[] {
  return globSync('*.test.ts', { cwd: folder })
    .filter((file) => tier === 'all' || !file.endsWith('.deep.test.ts'))
    .sort();
}

/**
 * Loads all tests of a folder into this process, where they run one after the other: two thirds of a file's work is
 * loading and warming up. Every file can still run alone.
 */
export async function importTests(folder: string): Promise<void> {
  for (const name of testFilesIn(folder, currentTier())) {
    const file = join(folder, name);
    await loadAsOwn(file, () => import(file));
  }
}
