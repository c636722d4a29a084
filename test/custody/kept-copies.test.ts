import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { adoptSeed } from '../../src/custody/data-keys.ts';
import { localMasterKey, readMasterKey } from '../../src/custody/master-key.ts';
import { createServiceKey } from '../../src/custody/new-keys.ts';
import { parseKit } from '../../src/custody/recovery-kit.ts';
import { openVault } from '../../src/custody/vault.ts';
import { openDatabase } from '../../src/db/database.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import { writeRecoveryKit } from '../../src/features/custody/write-kit.ts';
import { findTreasury } from '../../src/ledger/accounts.ts';
import { createDatabase } from '../kit/service/database.ts';
import { createOperator } from '../kit/service/operator.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { sealKeys } from '../rows/sealed-keys.ts';

const checkOf = async ({ service }: TestService, part: string) =>
  (await readHealth(service)).checks.find((check) => check.part === part);

test('the printed kit and the master key give an empty database the same keys, and no other database', async (t) => {
  const s = await sharedService(t);
  const printed = await runCommand(s.service, 'custody', 'kit');
  assert.deepEqual([printed.code, printed.err], [0, '']);
  const kit = parseKit(printed.out);
  const masterKey = await readMasterKey(s.service.settings);
  const { chainId, contracts, startBlock } = s.service.chain;
  const { wrappedSeed } = kit;
  assert.deepEqual(kit, { origin: s.service.publicUrl, chainId, contracts, startBlock, sweptAfter: null, wrappedSeed });

  const db = openDatabase(await createDatabase(t));
  t.after(() => db.close());
  const adopt = (key = masterKey) => db.transaction((tx) => adoptSeed(tx, key, kit.wrappedSeed));
  await assert.rejects(adopt(localMasterKey(randomBytes(32))), /The master key does not open this recovery kit/);
  await adopt();
  const vault = await openVault(db, masterKey);
  await adopt();
  const treasury = await findTreasury(s.service.db);
  assert.equal(createServiceKey(vault, 'treasury').address, treasury.address);
  const [row] = await db.query<{ wrapped: Buffer }>('SELECT wrapped FROM seed');
  assert.deepEqual(row!.wrapped, kit.wrappedSeed);

  const other = openDatabase(await createDatabase(t));
  t.after(() => other.close());
  await openVault(other, masterKey);
  await assert.rejects(
    other.transaction((tx) => adoptSeed(tx, masterKey, kit.wrappedSeed)),
    /This database has keys of its own/,
  );
});

test('the kit is written into the data folder until somebody has said that it is kept, which ends the reminder', async (t) => {
  const s = await startTestService(t);
  const path = await writeRecoveryKit(s.service);
  assert.equal(path, `${s.service.settings.dataDir}/recovery-kit.txt`);
  assert.equal((await stat(path!)).mode & 0o777, 0o600);
  assert.equal(await readFile(path!, 'utf8'), (await runCommand(s.service, 'custody', 'kit')).out);
  assert.equal(await writeRecoveryKit(s.service), null, 'it is there');
  await rm(path!);
  assert.equal(await writeRecoveryKit(s.service), path);

  const open = await checkOf(s, 'Recovery kit');
  assert.deepEqual([open?.state, open?.remedy?.command], ['warning', 'quarters custody kit']);
  assert.equal((await runCommand(s.service, 'health')).code, 0, 'a reminder is no fault');
  assert.equal((await s.app.inject('/readyz')).statusCode, 200);
  const kept = await runCommand(s.service, 'custody', 'kit', '--kept', '--reason', 'in the safe');
  assert.deepEqual([kept.code, kept.err], [0, '']);
  assert.equal((await checkOf(s, 'Recovery kit'))?.state, 'good');
  await rm(path!);
  assert.equal(await writeRecoveryKit(s.service), null, 'it is kept elsewhere');
});

test('accounts from before the update ask for one backup, which an operator reports in the console', async (t) => {
  const s = await startTestService(t);
  assert.equal(await checkOf(s, 'Backup'), undefined, 'all keys are derived');
  const app = await s.createApp();
  await sealKeys(s.service.db, s.service.vault, 'accounts', [app.address.toLowerCase()]);
  assert.equal((await checkOf(s, 'Backup'))?.state, 'warning');

  const operator = await createOperator(s);
  const health = await operator.get('/operator/health');
  assert.match(health.body, /Nobody has said that a backup was taken/);
  assert.match(health.body, /The kit is kept…/);
  const form = { action: randomUUID(), kind: 'confirm-copy', copy: 'backup', reason: 'Nightly dump' };
  const shown = await operator.post('/operator/actions/prepare', form);
  assert.match(shown.body, /Some accounts have keys that only the database and its backups hold/);
  assert.equal((await operator.post('/operator/actions/perform', form)).statusCode, 303);
  assert.equal((await checkOf(s, 'Backup'))?.state, 'good');

  const status = JSON.parse((await runCommand(s.service, 'custody', 'status', '--json')).out);
  assert.deepEqual(status.masterKey, { from: 'variable' });
  assert.equal(status.accounts.sealed, 1);
  assert.ok(status.accounts.derived > 1);
  assert.equal(status.backup.isCurrent, true);
  const text = (await runCommand(s.service, 'custody')).out;
  assert.match(text, /^Master key +MASTER_KEY$/m);
  assert.match(text, /^Recovery kit kept +no$/m);
});
