import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDevelopment } from '../../src/config/development.ts';

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
