import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { scratchFolder } from './scratch.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The folder of a commit's tree, with the packages of this one, or with those that its own lock file names. */
export async function takeTree(
  t: TestContext,
  commit: string,
  { ownPackages = false }: { readonly ownPackages?: boolean } = {},
): Promise<string> {
  const folder = await scratchFolder(t);
  const archive = join(folder, 'tree.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  if (ownPackages) await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder });
  else await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
