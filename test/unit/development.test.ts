import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { isDevelopment } from '../../src/config/development.ts';
import type { SettingsError } from '../../src/config/settings-error.ts';
import { lanEnvironment } from '../../src/process/lan.ts';
import { placeNote } from '../../src/process/start-screen.ts';

const EMBEDDED = { database: true, chain: true };
const HERE = { embedded: EMBEDDED, host: 'localhost', publicUrl: 'http://localhost:8080', trustProxy: 0 };

test('a service is in development mode only with its own database and chain, reached from this machine', () => {
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.8.7', '::1']) {
    assert.equal(isDevelopment({ ...HERE, host }), true, host);
  }
  for (const name of ['localhost', '127.0.0.1:8080', '127.1', '[::1]:8080']) {
    assert.equal(isDevelopment({ ...HERE, publicUrl: `http://${name}` }), true, name);
  }
  for (const embedded of [
    { database: false, chain: true },
    { database: true, chain: false },
    { database: false, chain: false },
  ]) {
    assert.equal(isDevelopment({ ...HERE, embedded }), false);
  }
  assert.equal(isDevelopment({ ...HERE, trustProxy: 1 }), false);
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.game.example',
    'localhost.example',
    '127.game.example',
  ]) {
    assert.equal(isDevelopment({ ...HERE, host }), false, host);
  }
  for (const publicUrl of [
    'https://quarters.example',
    'http://192.168.1.5:8080',
    'http://localhost.example',
    'http://[::ffff:127.0.0.1]:8080',
    'http://127.0.0.1.game.example',
  ]) {
    assert.equal(isDevelopment({ ...HERE, publicUrl }), false, publicUrl);
  }
});

test('start --lan opens a try-out to a private network, and to no other', () => {
  const lan = { ...HERE, host: '192.168.1.20', publicUrl: 'http://192.168.1.20:8080', isLan: true };
  assert.equal(isDevelopment(lan), true);
  for (const change of [
    { isLan: false },
    { host: '0.0.0.0' },
    { publicUrl: 'http://203.0.113.9:8080' },
    { publicUrl: 'http://quarters.example' },
    { trustProxy: 1 },
    { embedded: { database: true, chain: false } },
  ]) {
    assert.equal(isDevelopment({ ...lan, ...change }), false, JSON.stringify(change));
  }
});

test('it takes the address of this machine in a private network, and refuses what is not a try-out', () => {
  const at = (address: string, internal = false) =>
    ({ address, internal, family: 'IPv4', netmask: '', mac: '', cidr: null }) as NetworkInterfaceInfo;
  const here = {
    lo: [at('127.0.0.1', true)],
    docker0: [at('10.0.0.1', true)],
    eth0: [at('203.0.113.9'), at('192.168.1.20')],
  };
  assert.deepEqual(lanEnvironment({}, here), { HOST: '192.168.1.20', PUBLIC_URL: 'http://192.168.1.20:8080' });
  const refuses = (env: NodeJS.ProcessEnv, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>, says: RegExp) =>
    assert.throws(
      () => lanEnvironment(env, interfaces),
      ({ faults: [fault] }: SettingsError) => says.test(fault!),
    );
  refuses({ DATABASE_URL: 'postgres://x' }, here, /unset DATABASE_URL/);
  refuses({ PUBLIC_URL: 'http://x' }, here, /unset PUBLIC_URL/);
  refuses({ PORT: '0' }, here, /needs a PORT/);
  refuses({}, { eth0: [at('203.0.113.9')] }, /no address/);
});

test('a try-out whose PUBLIC_URL is of a local network is told why it is not in development mode', () => {
  const elsewhere = (publicUrl: string, embedded = EMBEDDED) =>
    placeNote({ embedded, publicUrl })?.match(
      /^Development mode is off, because PUBLIC_URL \((.*)\) .* npm start -- --lan$/,
    )?.[1];
  for (const publicUrl of [
    'http://192.168.1.5:8080',
    'https://10.0.0.7',
    'http://my-mac.local:8080',
    'http://game.example',
  ]) {
    assert.equal(elsewhere(publicUrl), publicUrl);
    assert.equal(elsewhere(publicUrl, { database: false, chain: true }), undefined, 'it is no try-out');
    assert.equal(isDevelopment({ ...HERE, publicUrl }), false);
  }
  for (const publicUrl of [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'https://quarters.example',
  ]) {
    assert.equal(elsewhere(publicUrl), undefined, publicUrl);
  }
});
