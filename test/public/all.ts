/** What `test/releases` runs of a release, in one process on one service. Within `npm run test:all` each file runs alone. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

for (const file of globSync('*.test.ts', { cwd: import.meta.dirname }).sort())
  await import(join(import.meta.dirname, file));
