import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRunning, writeRunning } from '../../src/process/data-folder.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { createDatabase } from '../kit/service/database.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { call, type RunningService, runCommand, startService } from './running-service.ts';

const stop = async ({ process }: RunningService) => {
  process.kill('SIGINT');
  await once(process, 'exit');
};

const balanceOfDemo = async (service: RunningService) => {
  const { status, body } = await call(
    service,
    'GET',
    `/v1/accounts/${service.demo.address}/balance`,
    service.demo.serverKey,
  );
  return status === 200 ? Number(body[0].quarters) : status;
};

test('a start repairs files that an earlier start left half-written', {
  skip: notInTurn(3, 'broken files, 1'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const first = await startService(t, dataDir);
  assert.doesNotMatch(first.screen, /Warning/);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');

  await writeFile(join(dataDir, 'demo-app.json'), '{"id": "');
  await writeFile(join(dataDir, 'running.json'), '');
  await chmod(join(dataDir, 'master.key'), 0o644);
  const commands = await runCommand(dataDir, ['apps', 'list']);
  assert.match(commands.err, /No service is running/);

  const second = await startService(t, dataDir);
  assert.match(second.screen, /Warning: other users of this machine may read the master key .*master\.key/);
  assert.deepEqual([second.demo.id, second.demo.address], [first.demo.id, first.demo.address]);
  assert.notEqual(second.demo.serverKey, first.demo.serverKey);
  await until('the new key reads the funds', async () => (await balanceOfDemo(second)) === 1_000_000);
  assert.match((await runCommand(dataDir, ['apps', 'list'])).out, /Flipside/);
  await stop(second);
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => /\.(new|part)$/.test(name)),
    [],
  );
});

test('with DATABASE_URL its URL is not stored, and the demo key is shown only when it is created', {
  skip: notInTurn(3, 'broken files, 2'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const given = { DATABASE_URL: await createDatabase(t), DEMO_APP: 'on' };
  const first = await startService(t, dataDir, given);
  assert.ok(first.screen.includes(first.demo.serverKey));
  const running = await readFile(join(dataDir, 'running.json'), 'utf8');
  assert.ok(!running.includes(new URL(given.DATABASE_URL).pathname.slice(1)), running);
  assert.deepEqual(Object.keys(JSON.parse(running)), ['publicUrl', 'rpcUrls']);
  assert.match((await runCommand(dataDir, ['apps', 'list'], given)).out, /Flipside/);
  await stop(first);

  const second = await startService(t, dataDir, given);
  assert.equal(second.demo.serverKey, first.demo.serverKey);
  assert.ok(!second.screen.includes(second.demo.serverKey));
  assert.match(second.screen, /server key {2}in .*demo-app\.json/);
  await stop(second);
});

test('an unreadable running.json counts as no running service', async (t) => {
  const dataDir = await scratchFolder(t);
  const publicUrl = 'http://localhost:8080';
  assert.equal(await readRunning(dataDir), null);
  for (const running of [{ publicUrl }, { publicUrl, databaseUrl: 'postgres://x', rpcUrls: ['http://y'] }]) {
    await writeRunning(dataDir, running);
    assert.deepEqual(await readRunning(dataDir), running);
  }
  for (const broken of ['', '{"publicUrl":', 'null', '[]', '{}']) {
    await writeFile(join(dataDir, 'running.json'), broken);
    assert.equal(await readRunning(dataDir), null, broken);
  }
});
