import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { atEnd } from '../kit/unit/at-end.ts';
import { alive, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { BIN, environment, startEmulator } from './emulated.ts';

/** A program that starts an emulator, as a game's tests do. */
const PARENT = `require('node:child_process').spawn(process.execPath, [process.argv[1], 'emulator', '--with-parent'], {
  stdio: ['pipe', 'inherit', 'inherit'],
})`;

async function firstLine(child: ChildProcess): Promise<{ pid: number }> {
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

async function assertAllGone(processes: readonly number[], temporary: string): Promise<void> {
  await until(
    'all processes are gone',
    () => alive([...processes]).length === 0,
    () => alive([...processes]),
  );
  await until(
    'its folders are gone',
    () => readdirSync(temporary).length === 0,
    () => readdirSync(temporary),
  );
}

function spawnEmulator(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, [BIN, 'emulator', ...args], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  atEnd(t, () => child.kill('SIGKILL'));
  return child;
}

test('nothing of an emulator is left when it is killed', async (t) => {
  const { temporary } = await newPlace(t);
  const child = spawnEmulator(t, [], { TMPDIR: temporary });
  const { pid } = await firstLine(child);
  const processes = [pid, ...descendants(pid)];
  assert.ok(processes.length > 4 && readdirSync(temporary).length === 1);
  process.kill(pid, 'SIGKILL');
  await assertAllGone(processes, temporary);
});

test('nothing of an emulator is left when the one who started it is killed', async (t) => {
  const { temporary } = await newPlace(t);
  const parent = spawn(process.execPath, ['-e', PARENT, BIN], {
    env: environment({ TMPDIR: temporary }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(t, () => parent.kill('SIGKILL'));
  const { pid } = await firstLine(parent);
  const processes = descendants(parent.pid!);
  assert.ok(processes.includes(pid) && processes.length > 4);
  parent.kill('SIGKILL');
  await assertAllGone(processes, temporary);
});

test('nothing is left of a first start that is killed in the middle', async (t) => {
  const { temporary, cache } = await newPlace(t);
  const child = spawnEmulator(t, [], { TMPDIR: temporary, XDG_CACHE_HOME: cache });
  const runs = () =>
    readdirSync(temporary).some((name) => existsSync(join(temporary, name, 'postgres/cluster/postmaster.pid')));
  await until('its database runs', runs);
  const processes = [child.pid!, ...descendants(child.pid!)];
  child.kill('SIGKILL');
  await assertAllGone(processes, temporary);
  const prepared = join(cache, 'quarters', 'emulator');
  await until('no half of what it prepared is left', () => readdirSync(prepared).length === 0);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends an emulator in order, with all that it has started`, async (t) => {
    const { temporary } = await newPlace(t);
    const child = spawnEmulator(t, [], { TMPDIR: temporary });
    const { pid } = await firstLine(child);
    const processes = [pid, ...descendants(pid)];
    const ended = once(child, 'exit');
    // Without --with-parent nobody's standard input counts.
    child.stdin!.end();
    child.kill(signal);
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(readdirSync(temporary), []);
    await assertAllGone(processes, temporary);
  });
}

test('an emulator does not start beside a real database, chain or key', async (t) => {
  for (const [name, value] of [
    ['DATABASE_URL', 'postgres://real.example/quarters'],
    ['CHAIN_RPC_URL', 'https://real.example'],
    ['MASTER_KEY', 'ab'.repeat(32)],
  ] as const) {
    const child = spawnEmulator(t, [], { [name]: value });
    let said = '';
    child.stderr!.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    assert.deepEqual([code, said.includes(`unset ${name}`)], [1, true], said);
  }
});

test('two emulators that start side by side for the first time both work, and share what they have prepared', async (t) => {
  const { temporary, cache } = await newPlace(t);
  const env = { TMPDIR: temporary, XDG_CACHE_HOME: cache };
  const both = await Promise.all([startEmulator(t, env), startEmulator(t, env)]);
  for (const { call } of both) {
    const { id } = await call('POST', '/apps');
    assert.ok((await call('POST', '/players', { app: id, quarters: 5 })).address);
  }
  assert.equal(readdirSync(join(cache, 'quarters', 'emulator')).length, 1);
  assert.notEqual(both[0]!.url, both[1]!.url);
});
