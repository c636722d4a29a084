import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { RELEASE } from '../../src/config/release.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { raiseLevel } from '../rows/processes.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const PARTS = ['src', 'words', 'local', 'migrations', 'docs', 'contracts', 'examples', 'sdk', 'CHANGELOG.md'];

export const NEXT_VERSION = '99.1.0';

const ROLLS = `-- Rolls: earlier releases do not name the column.
ALTER TABLE apps ADD COLUMN motto text NOT NULL DEFAULT '';
CREATE TABLE mottos (app_id text PRIMARY KEY REFERENCES apps, motto text NOT NULL);
`;

/** The folder of a later release: this tree with another version and a migration, which rolls or raises the level. */
export async function makeNextRelease(t: TestContext, { rolls = true } = {}): Promise<string> {
  const folder = await scratchFolder(t);
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as object;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: NEXT_VERSION }));
  const level = RELEASE.compatibility + 1;
  await writeFile(join(folder, 'migrations/9000_next.sql'), rolls ? ROLLS : raiseLevel(level));
  if (!rolls) {
    const path = join(folder, 'src/config/release.ts');
    const source = await readFile(path, 'utf8');
    await writeFile(path, source.replace(/^const COMPATIBILITY = .*$/m, `const COMPATIBILITY = ${level};`));
  }
  return folder;
}
