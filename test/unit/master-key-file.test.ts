import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import type { MasterKey } from '../../src/custody/data-keys.ts';
import { masterKeyFromFile, othersMayRead, readMasterKey } from '../../src/custody/master-key.ts';
import { outputOfCommand } from '../../src/custody/master-key-command.ts';
import { alive, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const opens = async (sealing: MasterKey, opening: MasterKey) => {
  const wrapped = await sealing.wrap(Buffer.from('data key'), 'data key');
  assert.deepEqual(await opening.unwrap(wrapped, 'data key'), Buffer.from('data key'));
};

test('the master key file', async (t) => {
  const folder = await scratchFolder(t);
  const path = join(folder, 'keys', 'master.key');

  await t.test('a missing key file is reported and not created once something is sealed', async () => {
    await assert.rejects(masterKeyFromFile(path, false), /is missing.*Restore it/);
    await assert.rejects(stat(path), { code: 'ENOENT' });
  });

  await t.test('the key file is created once, only for its owner, and leaves no other file', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => masterKeyFromFile(path, true)));
    for (const key of keys) await opens(keys[0]!, key);
    await opens(keys[0]!, await masterKeyFromFile(path, false));
    assert.deepEqual(await readdir(join(folder, 'keys')), ['master.key']);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(await othersMayRead(path), false);
    await chmod(path, 0o640);
    assert.equal(await othersMayRead(path), true);
  });

  await t.test(
    "somebody else's key file may be read by the group that it was given to, and by no others",
    {
      skip: process.getuid?.() !== 0 && 'only root gives files away',
    },
    async () => {
      const given = join(folder, 'given.key');
      await writeFile(given, 'a'.repeat(64), { mode: 0o440 });
      await chown(given, 12345, 12345);
      assert.equal(await othersMayRead(given), false);
      await chmod(given, 0o444);
      assert.equal(await othersMayRead(given), true);
    },
  );

  await t.test('an empty key file is recreated while nothing is sealed, otherwise reported', async () => {
    const empty = join(folder, 'empty.key');
    for (const nothing of ['', '\n']) {
      await writeFile(empty, nothing);
      await assert.rejects(masterKeyFromFile(empty, false), /must hold 64 hexadecimal digits/);
      await opens(await masterKeyFromFile(empty, true), await masterKeyFromFile(empty, false));
    }
  });

  await t.test('a key file with other content is never overwritten', async () => {
    const wrong = join(folder, 'wrong.key');
    await writeFile(wrong, 'abc');
    await assert.rejects(masterKeyFromFile(wrong, true), /must hold 64 hexadecimal digits/);
    assert.equal(await readFile(wrong, 'utf8'), 'abc');
  });
});

test('the master key command', async (t) => {
  const key = 'ab'.repeat(32);
  const keyOf = (command: string) => readMasterKey(readSettings({ MASTER_KEY_COMMAND: command }));

  await t.test('its output is the key, and it may be a pipe', async () => {
    await opens(await keyOf(`echo ${key} | tr a-f A-F`), await readMasterKey(readSettings({ MASTER_KEY: key })));
  });

  await t.test(
    'what it prints is never part of an error, what it complains of is, without what may be a key',
    async () => {
      for (const output of [key.slice(1), `${key}${key}`, `key: ${key}`]) {
        await assert.rejects(keyOf(`echo ${output}`), ({ message }: Error) => {
          assert.match(message, /must print 64 hexadecimal digits/);
          assert.ok(!message.includes(key.slice(1)), message);
          return true;
        });
      }
      await assert.rejects(keyOf('true'), /It printed nothing/);
      await assert.rejects(keyOf(`echo ${key}; echo "no $0 ${key}" >&2; echo second line >&2; exit 7`), {
        message: 'MASTER_KEY_COMMAND ended with code 7: no /bin/sh …',
      });
    },
  );

  await t.test('it does not outlive its time, nor does what it has started', async (t) => {
    const marker = join(await scratchFolder(t), 'pid');
    await assert.rejects(outputOfCommand(`sleep 600 & echo $! > ${marker}; wait`, 300), {
      message: 'MASTER_KEY_COMMAND did not end within 0.3 seconds.',
    });
    const started = [Number(await readFile(marker, 'utf8'))];
    await until('what it has started ends', async () => alive(started).length === 0);
    // What has been left running holds the pipe, and is not waited for.
    assert.equal(await outputOfCommand('sleep 600 & echo done'), 'done\n');
  });

  await t.test('it ends when the process that runs it is killed', async (t) => {
    const module = new URL('../../src/custody/master-key-command.ts', import.meta.url).href;
    const script = `(await import('${module}')).outputOfCommand('sleep 600')`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    t.after(() => parent.kill('SIGKILL'));
    await until('the command runs', async () => descendants(parent.pid!).length >= 3);
    const started = descendants(parent.pid!);
    parent.kill('SIGKILL');
    await until('the command ends', async () => alive(started).length === 0);
  });
});
