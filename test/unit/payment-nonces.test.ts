import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Address, asAddress } from '../../src/base/address.ts';
import type { Hash } from '../../src/base/hex.ts';
import { namedId, nameFrom, newRequestId, type RequestId, type TransferId } from '../../src/base/ids.ts';
import { newKeyId } from '../../src/custody/key-ids.ts';
import {
  namesNobody,
  nameToPay,
  nonceOfPayment,
  type PaymentName,
  type PaymentPart,
  readNonceOfPayment,
  readWhat,
  whatOf,
} from '../../src/custody/payment-nonces.ts';
import { type KeyId, seedOf } from '../../src/custody/seed.ts';

const seed = seedOf(Buffer.from(`${'00'.repeat(31)}01`, 'hex'));
const KEY_ID = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex') as KeyId;
const PAYER = asAddress(`0x${'11'.repeat(20)}`);
const STRANGER = asAddress(`0x${'22'.repeat(20)}`);
const request = '00000000-0000-7000-8000-000000000001' as RequestId;
const keyed = '00000000-0000-8000-8000-000000000001' as RequestId;
const PARTS: readonly PaymentPart[] = ['payment', 'reward', 'refund', 'transfer'];

test('what nonces are made of never changes, because the chain has those of before', () => {
  const nonceFor = (name: PaymentName) => nonceOfPayment(seed, PAYER, whatOf(seed, name), KEY_ID);
  const cancelled = new Set([whatOf(seed, { part: 'payment', id: request }).toString('hex')]);
  assert.deepEqual(
    {
      ...Object.fromEntries(PARTS.map((part) => [part, nonceFor({ part, id: request })])),
      keyed: nonceFor({ part: 'payment', id: keyed }),
      again: nonceOfPayment(seed, PAYER, nameToPay(seed, { part: 'payment', id: request }, cancelled), KEY_ID),
    },
    {
      payment: '0x74c2c1405e6653a473e0af0ea0d3d84262dffcea15798d36304eb7cc923d1599',
      reward: '0x0bcc647bd3a55065cc130d8d8d687e4c9ada2c732a3dbdf2b28bcf644a74beaf',
      refund: '0x2286f50ac3a56a1e1d35f6b16cae4d89fa1c8b65a193581896fc47fdd5e5bf5d',
      transfer: '0xdb84135a2427b61c8ed134f9c58f64545fb459f52ee18411b9d5ebdf91dfe3f0',
      keyed: '0x394216db0c3675bf09870433970f0bacd8389d1bfbf14aee8adc365d3a32d9e9',
      again: '0x3b005e420adfe4557f63df77d85f8088293de624e3d52bf2bd1afed37e9b438f',
    },
  );
});

test('a nonce says to us what it pays and whom, and to another seed nothing', () => {
  const other = seedOf(randomBytes(32));
  for (let i = 0; i < 1_000; i++) {
    const keyId = newKeyId();
    const id = i % 2 ? newRequestId() : (namedId(new Date(), randomBytes(10)) as RequestId);
    const name: PaymentName = { part: PARTS[i % 4]!, id };
    const what = whatOf(seed, name, i % 8);
    const nonce = nonceOfPayment(seed, PAYER, what, keyId);
    const read = readNonceOfPayment(seed, PAYER, nonce);
    assert.deepEqual([read.what, read.whom], [what, keyId]);
    assert.deepEqual(readWhat(seed, read.what), name, 'however often it was cancelled');
    assert.notDeepEqual(readWhat(other, what), name);
    for (const [reader, payer] of [
      [other, PAYER],
      [seed, STRANGER],
    ] as const) {
      assert.notDeepEqual(readNonceOfPayment(reader, payer, nonce).whom, keyId);
    }
  }
});

test('a nonce that names nobody says so, and one that is not ours does not', () => {
  const what = whatOf(seed, { part: 'transfer', id: request });
  const nobodys = nonceOfPayment(seed, PAYER, what, null);
  assert.ok(namesNobody(readNonceOfPayment(seed, PAYER, nobodys).whom));
  assert.ok(!namesNobody(readNonceOfPayment(seed, STRANGER, nobodys).whom));
});

test('what is paid is named for one payment only, also after each cancellation', () => {
  const ids = [request, keyed, newRequestId()];
  const whats = ids.flatMap((id) =>
    PARTS.flatMap((part) => Array.from({ length: 8 }, (_, tries) => whatOf(seed, { part, id }, tries).toString('hex'))),
  );
  assert.equal(new Set(whats).size, 3 * 4 * 8);
});

test('what the chain has cancelled is paid under its name once more, up to seven times', () => {
  const name: PaymentName = { part: 'payment', id: request };
  const cancelled = new Set<string>();
  for (let i = 0; i < 8; i++) {
    const what = nameToPay(seed, name, cancelled);
    assert.deepEqual(readWhat(seed, what), name);
    cancelled.add(what.toString('hex'));
  }
  assert.equal(cancelled.size, 8);
  assert.throws(() => nameToPay(seed, name, cancelled), /cancelled 8 payments/);
});

test('an id without a time is refused', () => {
  const id = '00000000-0000-4000-8000-000000000001' as TransferId;
  assert.throws(() => whatOf(seed, { part: 'transfer', id }), /has no time/);
});

/** Whether they miss the half by more than five standard deviations. */
const deviates = (ones: number, bits: number) => Math.abs(ones - bits / 2) > (5 * Math.sqrt(bits)) / 2;

test('to others, 10,000 nonces are random, and those of one recipient do not go together', () => {
  // Nothing here is drawn by chance, so that it fails always or never.
  const everyone: Hash[] = [];
  for (let i = 0; i < 10_000; i++) {
    const payer = asAddress(`0x${(i % 10).toString(16).repeat(40)}`) as Address;
    const id = namedId(new Date(0), nameFrom(`${i}`)) as RequestId;
    const what = whatOf(seed, { part: 'payment', id });
    everyone.push(nonceOfPayment(seed, payer, what, KEY_ID));
  }
  assert.equal(new Set(everyone).size, 10_000);
  const nonces = everyone.map((nonce) => BigInt(nonce));
  for (let bit = 0n; bit < 256n; bit++) {
    const ones = nonces.filter((nonce) => (nonce >> bit) & 1n).length;
    assert.ok(!deviates(ones, 10_000), `bit ${bit}: ${ones} of 10,000`);
  }
  // Each nonce next to the one before, of the same recipient: as many bits are different as in random ones.
  const differing = nonces.slice(1).reduce((sum, nonce, i) => sum + onesOf(nonce ^ nonces[i]!), 0);
  assert.ok(!deviates(differing, 9_999 * 256), `${differing}`);
  const halves = nonces.reduce((sum, nonce) => sum + onesOf((nonce >> 128n) ^ (nonce & ((1n << 128n) - 1n))), 0);
  assert.ok(!deviates(halves, 10_000 * 128), `${halves}`);
});

function onesOf(number: bigint): number {
  return number.toString(2).replaceAll('0', '').length;
}
