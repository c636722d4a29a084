import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { flakyServer, json } from '../kit/unit/flaky-server.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** A program of a user who has installed the package. */
const CONSUMER = `
import { type Balance, QuartersError, QuartersServer } from 'quarters-sdk';
declare const process: { argv: string[] };
const server = new QuartersServer({ url: process.argv[2]!, serverKey: 'qk_x', appAddress: '0x1' });
const balance: Balance = await server.balance();
console.log(balance.quarters, QuartersError.name);
`;

test('the built package works and has types', async (t) => {
  const { url } = await flakyServer(t, json([{ quarters: '7' }]));
  const folder = await scratchFolder(t);
  const installed = join(folder, 'node_modules/quarters-sdk');
  await mkdir(installed, { recursive: true });
  for (const part of ['src', 'package.json', 'tsconfig.json']) {
    await cp(join(ROOT, 'sdk', part), join(installed, part), { recursive: true });
  }
  await run(process.execPath, [TSC, '-p', installed]);

  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'consumer.ts'), CONSUMER);
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--skipLibCheck'];
  await run(process.execPath, [TSC, ...options, 'consumer.ts'], { cwd: folder });
  const { stdout } = await run(process.execPath, [join(folder, 'consumer.js'), url]);
  assert.equal(stdout.trim(), '7 QuartersError');
});
