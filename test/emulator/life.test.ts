import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { findPrepared } from '../../local/emulator/prepared.ts';
import { connectEmulator } from '../../sdk/emulator/src/index.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { assertAllGone, foldersIn } from './gone.ts';
import { BIN, freshEmulator, newGame } from './kit.ts';

/** What the first app of the shared emulator's seed has, in each run and on each machine. */
const OF_A_GAME = {
  id: '3hj68lDmrM7QgKUTt7QX',
  address: '0xe5A88f3d1e97d4980Eda7ee3bF521a5f87c08739',
  serverKey: 'qk_2PINAm5fAy0QludIy4zsx4vcPm1we2xyzKFe5edIYLw',
  clientSecret: 'qs_MC3gO4tDlAbFEm9LA6kUW4Kbl4Cz1ISOjFVCsJ5dRb9',
  webhookSecret: 'whsec_g0cTTliYV4RJZ1tpHjyotpd7Bk8iYCmXgcnUrTM6ecU=',
};

async function firstLine(child: ChildProcess): Promise<{ pid: number; control: string; token: string }> {
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined];
  assert.ok(line, 'it ended before it was ready');
  return JSON.parse(line);
}

/** A place for temporary files, in which nothing may be left. */
async function newPlace(t: TestContext) {
  const folder = await scratchFolder(t);
  const place = { temporary: join(folder, 'tmp'), cache: join(folder, 'cache') };
  await mkdir(place.temporary);
  return place;
}

function spawnEmulator(t: TestContext, env: Readonly<Record<string, string>>, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [BIN, 'emulator', ...args], {
    env: { ...process.env, LOG_LEVEL: 'error', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  atEnd(t, () => child.kill('SIGKILL'));
  return child;
}

test('nothing is left of a first start that is killed in the middle', async (t) => {
  const { temporary, cache } = await newPlace(t);
  const child = spawnEmulator(t, { TMPDIR: temporary, XDG_CACHE_HOME: cache });
  const runs = () =>
    foldersIn(temporary).some((name) => existsSync(join(temporary, name, 'postgres/cluster/postmaster.pid')));
  await until('its database runs', runs);
  const processes = [child.pid!, ...descendants(child.pid!)];
  child.kill('SIGKILL');
  await assertAllGone(processes, temporary);
  const prepared = join(cache, 'quarters', 'emulator');
  await until('no half of what it prepared is left', () => readdirSync(prepared).length === 0);
});

test('two emulators that start side by side for the first time share what they have prepared, and leave nothing behind', async (t) => {
  const { temporary, cache } = await newPlace(t);
  const start = async () => {
    const child = spawnEmulator(t, { TMPDIR: temporary, XDG_CACHE_HOME: cache }, '--seed', 'another game');
    const { pid, control: url, token } = await firstLine(child);
    const emulator = await connectEmulator({ url, token });
    const app = await emulator.apps.create();
    const { id, address } = await emulator.players.create({ app, quarters: 5 });
    return { child, processes: [pid, ...descendants(pid)], url: emulator.url, made: { app, id, address } };
  };
  const [first, second] = await Promise.all([start(), start()]);
  assert.equal(readdirSync(join(cache, 'quarters', 'emulator')).length, 1);
  assert.notEqual(first.url, second.url);
  assert.deepEqual(first.made, second.made, 'they have one seed');
  for (const field of ['id', 'address', 'serverKey'] as const) assert.notEqual(first.made.app[field], OF_A_GAME[field]);

  assert.ok(first.processes.length > 4 && second.processes.length > 4);
  assert.equal(foldersIn(temporary).length, 2);
  first.child.kill('SIGKILL');
  await assertAllGone(first.processes, temporary, 1);
  const ended = once(second.child, 'exit');
  // Without --with-parent nobody's standard input counts.
  second.child.stdin!.end();
  second.child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(foldersIn(temporary), []);
  await assertAllGone(second.processes, temporary);
});

test('a seed gives apps the same ids, keys, secrets and addresses in each run, and after each reset', async () => {
  const emulator = await freshEmulator();
  // What players do in between changes nothing.
  const game = await newGame(emulator);
  const player = await game.newPlayer({ quarters: 0 });
  await game.act(player, 'decline', { request: await game.ask(player, 5) });
  await emulator.call('POST', '/reset');
  const newApp = () => emulator.call('POST', '/apps', { webhook: 'http://127.0.0.1:1/nobody' });
  assert.deepEqual(await newApp(), OF_A_GAME);
  const second = Object.values<string>(await newApp());
  assert.deepEqual(
    Object.values(OF_A_GAME).filter((one) => second.includes(one)),
    [],
  );
  await emulator.call('POST', '/reset');
  assert.deepEqual(await newApp(), OF_A_GAME);
});

test('what is prepared stays as long as it is used, and for thirty days more', async (t) => {
  const { cache } = await newPlace(t);
  const prepared = join(cache, 'quarters', 'emulator');
  const unusedFor = async (folder: string, days: number) => {
    const at = new Date(Date.now() - days * 86_400_000);
    await utimes(join(folder, 'prepared.json'), at, at);
  };
  for (const [name, days] of [
    ['long-ago', 31],
    ['lately', 29],
  ] as const) {
    await mkdir(join(prepared, name), { recursive: true });
    await writeFile(join(prepared, name, 'prepared.json'), '{}');
    await unusedFor(join(prepared, name), days);
  }
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = cache;
  t.after(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  });
  const find = (of: string) =>
    findPrepared([of], async (first) => {
      await mkdir(join(first, 'postgres/cluster'), { recursive: true });
      return { chainState: Buffer.of(), block: 1 };
    });
  const { folder } = await find('one');
  assert.deepEqual(readdirSync(prepared).sort(), ['lately', basename(folder)].sort());
  await unusedFor(folder, 31);
  await find('one');
  await find('another');
  assert.ok(existsSync(join(folder, 'prepared.json')), 'it was used a moment ago');
});
