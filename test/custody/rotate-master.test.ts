import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { link, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import type { MasterKey } from '../../src/custody/data-keys.ts';
import { storeKept } from '../../src/custody/kept-copies.ts';
import { localMasterKey, makeNextKeyFile, nextKeyPath, replaceKeyFile } from '../../src/custody/master-key.ts';
import { parseKit, type RecoveryKit } from '../../src/custody/recovery-kit.ts';
import { openVault } from '../../src/custody/vault.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import { connect } from '../../src/process/connect.ts';
import { oneInTurn } from '../kit/run/turns.ts';
import { commit } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { createDatabase } from '../kit/service/database.ts';
import { HOUSE } from '../kit/service/house.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { changeProcesses } from '../rows/transfers.ts';

/** The key of the run's snapshot, in a file. */
const OLD = `${'b'.repeat(64)}\n`;

const keyIn = async (path: string) => localMasterKey(Buffer.from((await readFile(path, 'utf8')).trim(), 'hex'));

async function keyFile(t: Parameters<typeof scratchFolder>[0]): Promise<string> {
  const path = join(await scratchFolder(t), 'master.key');
  await writeFile(path, OLD, { mode: 0o600 });
  return path;
}

/** Whether a process with this key can start. */
const opens = async ({ service: { db } }: TestService, path: string) =>
  openVault(db, await keyIn(path)).then(
    () => true,
    () => false,
  );

test('a key file is replaced whatever an interrupted call has left, and the old key is kept', async (t) => {
  const leftBefore: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
    ['nothing', async () => {}],
    ['the new key', makeNextKeyFile],
    ['the old key beside it', async (path) => [await makeNextKeyFile(path), await link(path, `${path}.old`)]],
    ['the old key of an earlier replacement', (path) => writeFile(`${path}.old`, 'c'.repeat(64))],
  ];
  for (const [left, leave] of leftBefore) {
    await t.test(left, async (t) => {
      const path = await keyFile(t);
      await leave(path);
      await makeNextKeyFile(path);
      const next = await readFile(nextKeyPath(path), 'utf8');
      const old = await replaceKeyFile(path);
      assert.equal(await readFile(path, 'utf8'), next);
      assert.equal(await readFile(old, 'utf8'), OLD);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      await assert.rejects(stat(nextKeyPath(path)), { code: 'ENOENT' });
    });
  }
});

test('a key of a command: both open until the settings give the new one, and only then the old one ends', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const folder = await scratchFolder(t);
  const [current, next, other] = ['current', 'next', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(current, OLD);
  await writeFile(other, randomBytes(32).toString('hex'));
  const settings = { ...s.service.settings, masterKey: undefined, masterKeyCommand: `cat ${current}` };
  const run = (...args: string[]) => runCommand({ ...s.service, settings }, 'custody', 'rotate-master', ...args);
  await storeKept(db, 'kit');

  assert.match((await run('--yes')).err, /Say with --to in which file/);
  assert.equal((await run('--to', next)).code, 2, 'it asks first');
  assert.match((await run('--finish')).err, /The master key is not being replaced/);
  assert.match((await run('--yes', '--to', current)).err, /This is the master key of this database already/);
  assert.equal(await opens(s, other), false);

  const begun = await run('--yes', '--to', next);
  assert.match(begun.out, /^The old and the new master key open the database\.\nPut the new one \(.*next\) in place/);
  assert.deepEqual([await opens(s, current), await opens(s, next)], [true, true]);
  assert.equal((await run('--yes', '--to', next)).out, begun.out, 'once more changes nothing');
  assert.match((await run('--yes', '--to', other)).err, /is being replaced by another one/);
  assert.match((await run('--finish')).err, /The settings still give the old master key/);
  assert.match((await runCommand(s.service, 'custody')).out, /^The old and the new master key open this database/m);

  assert.equal((await run('--cancel')).code, 0);
  assert.deepEqual([await opens(s, current), await opens(s, next)], [true, false]);
  await run('--yes', '--to', next);
  await writeFile(current, await readFile(next));
  assert.match((await run('--cancel')).err, /The settings give the new master key/);
  assert.match((await run('--yes')).out, /The new one is in place here \(the output of MASTER_KEY_COMMAND\)/);

  const kit = async () => parseKit((await runCommand(s.service, 'custody', 'kit')).out);
  const oldKit = await kit();
  const done = JSON.parse((await run('--finish', '--json')).out);
  assert.equal(done.step, 'replaced');
  assert.equal(await opens(s, next), true);
  await assert.rejects(openVault(db, localMasterKey(s.service.settings.masterKey!)), /does not belong/);
  const seedIn = ({ wrappedSeed }: RecoveryKit, key: MasterKey) => key.unwrap(wrappedSeed, 'seed');
  const seed = await seedIn(await kit(), await keyIn(next));
  assert.deepEqual(seed, await seedIn(oldKit, localMasterKey(s.service.settings.masterKey!)));
  await assert.rejects(seedIn(oldKit, await keyIn(next)));
  assert.deepEqual(parseKit(await readFile(done.kitAt, 'utf8')), await kit());
  const { checks } = await readHealth(s.service);
  assert.match(checks.find(({ part }) => part === 'Recovery kit')!.says, /The master key or the seed was replaced/);
});

test('a key file is replaced at once, unless a process on another machine has a copy of it', async (t) => {
  const s = await startTestService(t);
  const path = await keyFile(t);
  const settings = { ...s.service.settings, masterKey: undefined, masterKeyFile: path };
  const run = (...args: string[]) => runCommand({ ...s.service, settings }, 'custody', 'rotate-master', ...args);
  await changeProcesses(s.service.db, {}, { host: 'elsewhere' });
  assert.match(
    (await run('--yes')).out,
    /The new one is in place here \(.*master\.key\)\. The old key is in .*\.old\./,
  );
  assert.deepEqual([await opens(s, path), await opens(s, `${path}.old`)], [true, true]);
  await changeProcesses(s.service.db, {}, { host: hostname() });
  assert.match((await run('--yes')).out, /^The old master key opens the database no more\./);
  assert.deepEqual([await opens(s, path), await opens(s, `${path}.old`)], [true, false]);
});

/** What the command had done in the database when it was killed. Between the two it has replaced the file. */
const KILLS: Readonly<Record<string, KillPoint>> = {
  'before the new key opens': commit('before', 'SET next_wrapped = '),
  'after the new key opens': commit('after', 'SET next_wrapped = '),
  'before the old key ends': commit('before', 'SET wrapped = next_wrapped'),
  'after the old key has ended': commit('after', 'SET wrapped = next_wrapped'),
};

test('kill -9 at every step of replacing a key file leaves a key file that opens, and the next run ends the old key', async (t) => {
  const path = await keyFile(t);
  const world = await openWorldFromSnapshot(t, { env: { MASTER_KEY: '', MASTER_KEY_FILE: path } });
  const { db } = await world.operator();
  const rotate = ['custody', 'rotate-master', '--yes', '--json'];
  for (const [name, point] of oneInTurn(Object.entries(KILLS), 'kills of a rotation')) {
    await t.test(name, async () => {
      const before = await readFile(path, 'utf8');
      assert.match(await world.command(rotate, point), /killed: /);
      assert.match(await world.command(['custody', '--json']), /"from": "file"/, 'a process finds a key that opens');
      if (name.startsWith('after the old')) return;
      assert.match(await world.command(rotate), /"step": "replaced"/);
      assert.notEqual(await readFile(path, 'utf8'), before);
      await assert.rejects(openVault(db, localMasterKey(Buffer.from(before.trim(), 'hex'))), /does not belong/);
    });
  }
  const service = await world.startReady();
  await service.stop();
});

test('a backup from before a rotation and the key of today: the error names the old key, and the other way round', async (t) => {
  const path = await keyFile(t);
  const s = await startTestService(t, { env: { MASTER_KEY: '', MASTER_KEY_FILE: path } });
  await s.stop();
  const current = s.databaseUrl;
  const backup = await createDatabase(t, new URL(current).pathname.slice(1));
  const open = async (databaseUrl: string, key: Record<string, string>) => {
    const env = {
      DATABASE_URL: databaseUrl,
      CHAIN_RPC_URL: s.evm.url,
      QUARTERS_DATA_DIR: await scratchFolder(t),
      ...key,
    };
    return connect(readSettings(env), s.service.log, HOUSE);
  };
  const opening = async (databaseUrl: string, key: Record<string, string>) => {
    const opened = await open(databaseUrl, key);
    await opened.close();
  };

  const { service, close } = await open(current, { MASTER_KEY_FILE: path });
  assert.match((await runCommand(service, 'custody', 'rotate-master', '--yes')).out, /^The old master key opens/);
  await close();
  const [today, old] = [{ MASTER_KEY_FILE: path }, { MASTER_KEY_FILE: `${path}.old` }];
  await opening(current, today);
  await opening(backup, old);

  await assert.rejects(opening(backup, today), {
    message: `The master key (${path}) does not open this database, and ${path}.old does. The database is from before \`custody rotate-master\`, as an older backup is. Start with MASTER_KEY_FILE=${path}.old.`,
  });
  await assert.rejects(opening(current, old), {
    message: `The master key (${path}.old) does not open this database, and ${path} does. The key was replaced by \`custody rotate-master\` after this one, and the database is newer. Start with MASTER_KEY_FILE=${path}.`,
  });
  // Elsewhere nothing lies beside it.
  for (const [databaseUrl, file] of [
    [backup, path],
    [current, `${path}.old`],
  ] as const) {
    await assert.rejects(
      opening(databaseUrl, { MASTER_KEY: (await readFile(file, 'utf8')).trim() }),
      /^ForeignMasterKey: The master key \(MASTER_KEY\) does not open this database\. It needs the key that was in use at \d{4}-.*Z\. A backup from before `custody rotate-master` opens with the old key alone, .*master\.key\.old/,
    );
  }
});
