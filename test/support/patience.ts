import { join, relative } from 'node:path';
import { patienceOf } from '../../scripts/test-plan.ts';

const root = join(import.meta.dirname, '../..');

/** How long this process waits for one thing. Its first file says in which folder its tests are. */
export function patienceMs(): number {
  return patienceOf(relative(root, process.argv[1] ?? '').replaceAll('\\', '/'));
}
