import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { localMasterKey } from '../../src/custody/master-key.ts';
import { decrypt, encrypt } from '../../src/custody/vault.ts';

const key = randomBytes(32);
const plain = randomBytes(32);

test('a sealed text opens with the same key and context', () => {
  assert.deepEqual(decrypt(key, encrypt(key, plain, 'account 0x1'), 'account 0x1'), plain);
});

test('a sealed text opens with nothing else, and the error gives no reason', () => {
  const sealed = encrypt(key, plain, 'account 0x1');
  const refused = (by: Buffer, bytes: Uint8Array, context = 'account 0x1') =>
    assert.throws(() => decrypt(by, bytes, context), { message: 'Unsupported state or unable to authenticate data' });
  refused(randomBytes(32), sealed);
  refused(key, sealed, 'account 0x2');
  // Every bit of the IV, the tag and the text counts.
  for (const at of [0, 11, 12, 27, 28, sealed.length - 1]) {
    const altered = Buffer.from(sealed);
    altered[at]! ^= 1;
    refused(key, altered);
  }
  refused(key, sealed.subarray(0, -1));
  assert.throws(() => decrypt(key, sealed.subarray(0, 20), 'account 0x1'), 'a short tag is no tag');
});

test('sealing the same text twice gives different results', () => {
  const ivs = Array.from({ length: 1000 }, () => encrypt(key, plain, 'x').toString('hex', 0, 12));
  assert.equal(new Set(ivs).size, ivs.length);
});

test('a data key opens only with the master key that wrapped it, and as what it is', async () => {
  const wrapped = await localMasterKey(key).wrap(plain, 'data key');
  assert.deepEqual(await localMasterKey(key).unwrap(wrapped, 'data key'), plain);
  await assert.rejects(localMasterKey(key).unwrap(wrapped, 'seed'));
  await assert.rejects(localMasterKey(randomBytes(32)).unwrap(wrapped, 'data key'));
});
