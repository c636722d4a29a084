import { globSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Loads all tests of a folder into this process, where they run one after the other: what each file would load and warm up for
 * itself is two thirds of its work. Every file still runs alone as well.
 */
export async function importTests(folder: string): Promise<void> {
  for (const file of globSync('*.test.ts', { cwd: folder }).sort()) await import(join(folder, file));
}
