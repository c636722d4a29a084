import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { SettingsError } from '../../src/config/settings-error.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
};

test('every setting has a default', () => {
  const settings = readSettings({});
  assert.equal(settings.port, 8080);
  assert.equal(settings.databaseUrl, undefined);
  assert.deepEqual(settings.chainRpcUrls, []);
  assert.ok(Object.isFrozen(settings));
});

test('an empty value counts as unset', () => {
  assert.equal(readSettings({ PORT: '', DATABASE_URL: ' ' }).port, 8080);
});

test('all faults of the settings are listed at once, one sentence each', () => {
  const faults = faultsOf({ PORT: 'http', CHAIN_RPC_URL: 'localhost:8545', MAX_AMOUNT: '0', LOG_LEVEL: 'loud' });
  assert.equal(faults.length, 4);
  for (const name of ['PORT', 'CHAIN_RPC_URL', 'MAX_AMOUNT', 'LOG_LEVEL']) {
    assert.equal(faults.filter((fault) => fault.startsWith(`${name} `)).length, 1, name);
  }
});

test('a database address names one host', () => {
  for (const url of [
    'postgres://u:p@a,b/q',
    'postgres://a:1,b:2/q',
    'postgresql:///q?host=a,b',
    'postgres:///q?host=a%2Cb',
  ]) {
    assert.match(faultsOf({ DATABASE_URL: url })[0] ?? '', /^DATABASE_URL must name one host: /, url);
  }
  const url = 'postgres://user:with,comma@host/quarters?application_name=a,b';
  assert.equal(readSettings({ DATABASE_URL: url }).databaseUrl, url);
});

test('a database address whose password is not percent-encoded is refused without showing it', () => {
  for (const url of [
    'postgres://u:hunter2%@host/q',
    'postgres://u:50%hunter2@host/q',
    'postgres://u:hun/ter2@host/q',
    'postgres://u:12/hunter2@host/q',
    'postgres://u:hun#ter2@host/q',
    'postgres://u:12?hunter2@host/q',
    'postgres://u:hun@t/er2@host/q',
  ]) {
    const [fault = '', ...others] = faultsOf({ DATABASE_URL: url });
    assert.match(fault, /^DATABASE_URL must have its user and password percent-encoded: write %25 for %/, url);
    assert.deepEqual([others, /hun|ter2/.test(fault)], [[], false]);
  }
  // What a URL parser understands is taken.
  const { databaseUrl } = readSettings({ DATABASE_URL: 'postgres://u:p@ss:w%40rd@host:5433/q' });
  assert.equal(databaseUrl && decodeURIComponent(new URL(databaseUrl).password), 'p@ss:w@rd');
  for (const url of [
    'postgres://u:p%2Fw@host/q?application_name=a@b',
    'postgres:///q?host=/var/run/postgresql',
    'postgres://u@%2Fvar%2Frun%2Fpostgresql/q',
  ]) {
    assert.equal(readSettings({ DATABASE_URL: url }).databaseUrl, url);
  }
});

test('faults never quote a value that may be a secret', () => {
  const secret = 'hunter2';
  for (const name of ['DATABASE_URL', 'CHAIN_RPC_URL', 'MASTER_KEY']) {
    const [fault] = faultsOf({ [name]: `mysql://user:${secret}@host/db` });
    assert.ok(fault && !fault.includes(secret), `${name}: ${fault}`);
  }
});

test('a secret is read from the file that its variable names', async (t) => {
  const file = join(await scratchFolder(t), 'database-url');
  writeFileSync(file, 'postgres://quarters:hunter2@db/quarters\n');
  assert.equal(readSettings({ DATABASE_URL_FILE: file }).databaseUrl, 'postgres://quarters:hunter2@db/quarters');
  assert.match(faultsOf({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db' })[0]!, /both set/);
  assert.match(
    faultsOf({ SMTP_URL_FILE: `${file}-missing` })[0]!,
    /^SMTP_URL cannot be read .* SMTP_URL_FILE .*ENOENT/,
  );
  writeFileSync(file, ' \n');
  assert.match(faultsOf({ CHAIN_RPC_URL_FILE: file })[0]!, /is empty$/);
});

test('several chain endpoints are read in order', () => {
  assert.deepEqual(readSettings({ CHAIN_RPC_URL: 'http://a:1, https://b/key' }).chainRpcUrls, [
    'http://a:1/',
    'https://b/key',
  ]);
});

test('the public address is an origin without a path', () => {
  assert.equal(readSettings({ PUBLIC_URL: 'https://quarters.example' }).publicUrl, 'https://quarters.example');
  assert.equal(faultsOf({ PUBLIC_URL: 'https://quarters.example/pay' }).length, 1);
});

test('a mandate’s limit per transfer cannot exceed its daily limit', () => {
  assert.deepEqual(faultsOf({ AUTO_APPROVE_PER_TRANSFER: '8', AUTO_APPROVE_PER_DAY: '8' }), []);
  assert.deepEqual(faultsOf({ AUTO_APPROVE_PER_TRANSFER: '9', AUTO_APPROVE_PER_DAY: '8' }), [
    'AUTO_APPROVE_PER_TRANSFER (9) is more than AUTO_APPROVE_PER_DAY (8)',
  ]);
});

test('two master keys at once are refused', () => {
  const [key, file, command] = [
    { MASTER_KEY: 'a'.repeat(64) },
    { MASTER_KEY_FILE: '/key' },
    { MASTER_KEY_COMMAND: 'x' },
  ];
  for (const both of [
    { ...key, ...file },
    { ...key, ...command },
    { ...file, ...command },
  ]) {
    assert.deepEqual(faultsOf(both), [`${Object.keys(both).join(' and ')} are set: keep one of them`]);
  }
});

test('WORKERS is one by default, a number, or the cores that this process may use', () => {
  assert.equal(readSettings({}).workers, 1);
  assert.equal(readSettings({ WORKERS: '3' }).workers, 3);
  assert.equal(readSettings({ WORKERS: 'auto' }).workers, availableParallelism());
  assert.deepEqual(faultsOf({ WORKERS: 'all' }), ['WORKERS must be auto or a whole number, not "all"']);
  assert.equal(faultsOf({ WORKERS: '0' }).length, 1);
});
