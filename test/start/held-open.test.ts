import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const program = new URL('holds-open.ts', import.meta.url).pathname;

async function run(how: string): Promise<{ code: unknown; said: string }> {
  const child = spawn(process.execPath, [program, how], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const [code] = await once(child, 'close');
  return { code, said };
}

test('a program that something still holds open at its end names it and exits with a fault', async () => {
  const { code, said } = await run('open');
  assert.equal(code, 1);
  assert.match(said, /^Everything was closed, but the process was still held open by: TCPServerWrap\.\n$/);
  assert.deepEqual(await run('nothing'), { code: 0, said: '' });
});
