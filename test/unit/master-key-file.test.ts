import assert from 'node:assert/strict';
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { masterKeyFromFile, othersMayRead } from '../../src/custody/master-key.ts';
import type { MasterKey } from '../../src/custody/vault.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

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
