import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { scratchFolder } from '../kit/unit/scratch.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/ensure-chromium.mjs');
const isRoot = process.getuid?.() === 0;

/** Runs the script without a Chromium, and with an `apt-get` that only records that it ran. */
async function run(t: TestContext, env: Record<string, string>) {
  const folder = await scratchFolder(t);
  writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\necho > ${folder}/ran\nexit 1\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { env: { PATH: folder, ...env }, encoding: 'utf8' });
  return { status, said: stderr, installed: existsSync(join(folder, 'ran')) };
}

describe('scripts/ensure-chromium.mjs', () => {
  it("installs nothing on a developer's machine and prints one line on what to run", async (t) => {
    const { status, said, installed } = await run(t, {});
    assert.deepEqual({ status, installed }, { status: 0, installed: false });
    assert.match(said, isRoot ? /^.*QUARTERS_INSTALL_CHROMIUM=1 npm test.*\n$/ : /^.*install Chromium.*\n$/);
  });

  it('installs Chromium if CI or QUARTERS_INSTALL_CHROMIUM asks for it', {
    skip: !isRoot && 'only root installs',
  }, async (t) => {
    for (const env of [{ CI: 'true' }, { QUARTERS_INSTALL_CHROMIUM: '1' }]) {
      assert.equal((await run(t, env)).installed, true, JSON.stringify(env));
    }
  });

  it('installs nothing if CHROMIUM_PATH names a browser', async (t) => {
    const { said, installed } = await run(t, { CI: 'true', CHROMIUM_PATH: '/nowhere' });
    assert.equal(installed, false);
    assert.match(said, /CHROMIUM_PATH names \/nowhere/);
  });
});
