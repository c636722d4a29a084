import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const done: string[] = [];
process.on('exit', () => {
  for (const folder of done) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * A folder for one test that every user can enter. It is removed when the test file ends, not in the test's own hook:
 * hooks run in the order of registration, so servers in the folder are stopped after that hook.
 */
export async function scratchFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarters-test-'));
  await chmod(folder, 0o755);
  t.after(() => {
    done.push(folder);
  });
  return folder;
}
