import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** The first file of this process, as a path from the root. It says in which folder the tests are. */
export const ENTRY = relative(root, process.argv[1] ?? '').replaceAll('\\', '/');
