import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { findPrepared } from '../../local/emulator/prepared.ts';
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
    // Its ledger is some blocks behind its chain, of which the node has the newest states alone.
    const child = spawnEmulator(t, [], { TMPDIR: temporary, COMPLETE_AFTER: '3', LOG_LEVEL: 'warn' });
    let said = '';
    child.stderr!.on('data', (text) => {
      said += text;
    });
    const { pid } = await firstLine(child);
    const processes = [pid, ...descendants(pid)];
    const ended = once(child, 'close');
    // Without --with-parent nobody's standard input counts.
    child.stdin!.end();
    child.kill(signal);
    assert.deepEqual(await ended, [0, null]);
    assert.doesNotMatch(said, /BlockOutOfRange/);
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
