import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const repository = resolve(import.meta.dirname, '../..');

describe('the program as it is installed', () => {
  it('prints its version and that of Node.js, and loads the service for neither this nor help', () => {
    const quarters = (...args: string[]) => {
      // Names everything that is loaded.
      const hook = `import { registerHooks } from 'node:module';
        registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
      const list = `data:text/javascript,${encodeURIComponent(hook)}`;
      const bin = join(repository, 'bin/quarters.mjs');
      const { stdout, stderr } = spawnSync(process.execPath, ['--import', list, bin, ...args], { encoding: 'utf8' });
      return { stdout, loaded: stderr.split('\n') };
    };
    const { stdout, loaded } = quarters('--version');
    assert.match(stdout, /^quarters \d+\.\d+\.\d+ \(Node\.js v\d+\.\d+\.\d+\)\n$/);
    const own = loaded.filter((url) => url.includes('/src/cli/'));
    assert.ok(own.length > 10, 'the list is complete');
    const heavy = loaded.filter((url) =>
      /node_modules\/(?!commander\/)|src\/(db\/(?!keep-until)|settlement\/|words\/|api\/)/.test(url),
    );
    assert.deepEqual(heavy, [], 'import these when the command runs: const { x } = await import(…)');
  });
});
