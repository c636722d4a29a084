import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isInHistory, readReleases } from '../../scripts/releases.ts';
import { TIER_VARIABLE } from '../kit/run/tier.ts';
import { takeTree } from '../kit/unit/release-tree.ts';
import { openOwnTarget } from '../public/own-target.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

for (const release of readReleases(ROOT)) {
  test(`the service still has the public interface of ${release.version}`, async (t) => {
    // A release that is being made has no commit yet.
    const commit = release.commit ?? 'HEAD';
    const found = isInHistory(ROOT, commit);
    if (found === null) return t.skip('this copy lacks a part of the history: git fetch --unshallow');
    assert.ok(found, `${commit} is not in the history`);
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
