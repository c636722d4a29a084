import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { scratchFolder } from '../kit/unit/scratch.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

test('the service without its local surroundings refuses to start until database and chain are given', async (t) => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'start'], {
    env: { PATH: process.env.PATH, QUARTERS_DATA_DIR: await scratchFolder(t), DEMO_APP: 'on' },
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  for (const name of ['DATABASE_URL', 'CHAIN_RPC_URL', 'DEMO_APP=on']) assert.match(stderr, new RegExp(name));
});
