import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

test('the arcade’s own suite, which a game may copy, passes beside an emulator', async () => {
  const suite = [process.execPath, '--test', '--test-reporter=tap', path('examples/arcade/test/survives.test.ts')];
  const child = spawn(process.execPath, [path('bin/quarters.mjs'), 'test', '--', ...suite], {
    // As a game runs it: this run's own variables would make it a part of this one.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, said);
  for (let thing = 1; thing <= 12; thing++) assert.match(said, new RegExp(`^ok ${thing} - ${thing}\\. `, 'm'), said);
});
