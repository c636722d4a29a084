import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type ReleaseEntry, readReleases } from '../../scripts/releases.ts';
import { openOwnTarget } from '../public/own-target.ts';
import { scratchFolder } from '../support/scratch.ts';
import { TIER_VARIABLE } from '../support/tier.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The commit of a release; HEAD for one that is being made. Null if this clone does not have it. */
function commitOf({ commit }: ReleaseEntry): string | null {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit ?? 'HEAD'}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return commit ?? 'HEAD';
  } catch {
    return null;
  }
}

/** The folder of a release's tree, with the packages of this one. */
async function takeTree(t: TestContext, commit: string): Promise<string> {
  const folder = await scratchFolder(t);
  const archive = join(folder, 'tree.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

for (const release of readReleases(ROOT)) {
  test(`the service still has the public interface of ${release.version}`, async (t) => {
    const commit = commitOf(release);
    if (commit === null) return t.skip(`this clone lacks the commit of ${release.version}: git fetch --unshallow`);
    const folder = await takeTree(t, commit);
    const target = join(folder, 'target.json');
    await writeFile(target, JSON.stringify(await openOwnTarget()));
    // Otherwise the process would report to the runner of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = run(process.execPath, [join(folder, 'test/public/all.ts')], {
      cwd: folder,
      maxBuffer: 10_000_000,
      env: { ...env, [TIER_VARIABLE]: 'all', QUARTERS_PUBLIC_TARGET: target },
    });
    child.child.stdin?.end();
    const { stdout } = await child.catch((error: Error & { stdout?: string }) =>
      assert.fail(error.stdout ?? error.message),
    );
    const passed = Number(/^(?:ℹ|#) pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed >= 10, stdout);
    t.diagnostic(`${passed} tests of ${commit} pass`);
  });
}
