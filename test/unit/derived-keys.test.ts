import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type AppId, newAppId, newUserId, type UserId, userIdFrom } from '../../src/base/ids.ts';
import { keyIdOfApp, keyIdOfService, keyIdOfUser, newKeyId, userIdOf } from '../../src/custody/key-ids.ts';
import { createAppKey, createGuestKey, createServiceKey, createUserKey } from '../../src/custody/new-keys.ts';
import { type KeyId, seedOf } from '../../src/custody/seed.ts';
import { memoryVault } from '../kit/unit/signing.ts';

const seed = seedOf(randomBytes(32));
const GAME = 'AAAAAAAAAAAAAAAAAAAA' as AppId;

test('what is derived never changes, because backups have only what it is derived from', async () => {
  const vault = await memoryVault(Buffer.from(`${'00'.repeat(31)}01`, 'hex'));
  const keyId = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex') as KeyId;
  assert.deepEqual(
    {
      key: vault.seed.privateKey(keyId).toString('hex'),
      guest: userIdOf(vault.seed, keyId, GAME),
      person: userIdOf(vault.seed, keyId, null),
      app: keyIdOfApp('Zz09ZZZZZZZZZZZZZZZZ' as AppId).toString('hex'),
      treasury: createServiceKey(vault, 'treasury').address,
      relayer: createServiceKey(vault, 'relayer 12').address,
    },
    {
      key: '3ce21b05962173ec2eab2f01a6d2811c01c6b6bc79d000eb267876e3f434a95b',
      guest: 'AACOMM8GykqCaX39GwM22w8cIUL0',
      person: 'AACOMM8GykqCaX39GwM22wUitPt8',
      app: 'ff3888d8e3bbcd18dea3ed6f4fab3ef3',
      treasury: '0xca07edf86f5ca8e45894b17dc01c640e1bf0d20c',
      relayer: '0xdc2eb5d6aae3a6362b3c365b07209158ebc99a25',
    },
  );
});

test('of 10,000 users and as many apps, no two have the same key or id', async () => {
  const vault = await memoryVault();
  const keyIds = Array.from({ length: 10_000 }, () => [newKeyId(), keyIdOfApp(newAppId())]).flat();
  const keys = keyIds.map((keyId) => vault.seed.privateKey(keyId).toString('hex'));
  const userIds = keyIds.map((keyId) => userIdOf(vault.seed, keyId, GAME));
  for (const all of [keys, userIds]) assert.equal(new Set(all).size, 20_000);
  assert.ok(userIds.every((userId) => userIdFrom(userId)));
  const made = Array.from({ length: 50 }, () => [
    createUserKey(vault),
    createGuestKey(vault, GAME),
    createAppKey(vault),
  ]).flat();
  assert.equal(new Set(made.map(({ address }) => address)).size, 150);
});

test('key ids of users, apps and the service are never the same', () => {
  const firsts = new Set(Array.from({ length: 5_000 }, () => newKeyId()[0]!));
  assert.ok(firsts.size > 250 && Math.max(...firsts) < 0xfe);
  assert.equal(keyIdOfApp(newAppId())[0], 0xff);
  assert.equal(keyIdOfApp('9'.repeat(20) as AppId)[0], 0xff, 'the highest id leaves room for the mark');
  assert.notDeepEqual(keyIdOfApp('9'.repeat(20) as AppId), keyIdOfApp('8'.repeat(20) as AppId));
  assert.equal(keyIdOfService('treasury')[0], 0xfe);
});

test('an id shows its key id to the app whose guest it is, and to nobody else', () => {
  for (let i = 0; i < 1_000; i++) {
    const keyId = newKeyId();
    const [own, other] = [newAppId(), newAppId()];
    const userId = userIdOf(seed, keyId, own);
    assert.deepEqual(keyIdOfUser(seed, userId, own), keyId);
    for (const appId of [other, null]) assert.equal(keyIdOfUser(seed, userId, appId), null);
    assert.equal(keyIdOfUser(seedOf(randomBytes(32)), userId, own), null, 'another installation');
  }
});

test('of 1,000 forged ids none shows a key id: random ones, and true ones with a letter changed', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  for (let i = 0; i < 1_000; i++) {
    assert.equal(keyIdOfUser(seed, newUserId(), GAME), null);
    const userId = userIdOf(seed, newKeyId(), GAME);
    const at = i % userId.length;
    const next = letters[(letters.indexOf(userId[at]!) + 1 + (i % 61)) % letters.length]!;
    const changed = (userId.slice(0, at) + next + userId.slice(at + 1)) as UserId;
    assert.equal(keyIdOfUser(seed, changed, GAME), null);
  }
});
