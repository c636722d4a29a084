import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Address, asAddress } from '../../src/base/address.ts';
import type { Hash } from '../../src/base/hex.ts';
import type { RequestId, TransferId } from '../../src/base/ids.ts';
import { newKeyId } from '../../src/custody/key-ids.ts';
import {
  markOfPayment,
  markOfRefund,
  markOfRefundKey,
  markToPay,
  nonceOfPayment,
  type PaymentName,
  readNonceOfPayment,
} from '../../src/custody/payment-nonces.ts';
import { type KeyId, seedOf } from '../../src/custody/seed.ts';

const seed = seedOf(Buffer.from(`${'00'.repeat(31)}01`, 'hex'));
const KEY_ID = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex') as KeyId;
const PAYER = asAddress(`0x${'11'.repeat(20)}`);
const request = '00000000-0000-7000-8000-000000000001' as RequestId;
const key = Buffer.alloc(32, 7);

test('what nonces are made of never changes, because the chain has those of before', () => {
  const nonceFor = (name: PaymentName) => nonceOfPayment(seed, PAYER, markOfPayment(seed, name), KEY_ID);
  const lasting = { kind: 'key', key, day: null } as const;
  const cancelled = new Set([markOfPayment(seed, lasting).toString('hex')]);
  assert.deepEqual(
    {
      request: nonceFor({ kind: 'request', request }),
      reward: nonceFor({ kind: 'reward', request }),
      refund: nonceFor({ kind: 'refund', request, number: 2, key }),
      key: nonceFor({ kind: 'key', key, day: '2026-11-27' }),
      lasting: nonceFor(lasting),
      transfer: nonceFor({ kind: 'transfer', id: request as string as TransferId }),
      again: nonceOfPayment(seed, PAYER, markToPay(seed, lasting, cancelled), KEY_ID),
    },
    {
      request: '0x21d3bd539939657c918ba9e3eb520614668259a2ebd544c736919c71366c8116',
      reward: '0xdc659d548e2a6194f555aa6a361cb8da350efd1dd3fa92dea134393bed9224a9',
      refund: '0x7027c3944bd552b378a583cee3b0f2b972d0896c6ba3ee64eafe2be18cd7657d',
      key: '0x83a0067da3f3aa343b0b511ca706561ef40dc814d24aac8732c83011700f410d',
      lasting: '0xe1d5e16549314b7e299d956d2530f8178c6dc23d5d2b27d6fb142f3fceda1034',
      transfer: '0x52ba964cd2d21f6bb75eed8f8ecd98f368f810d31d94996e3bdc76bc1391ed6d',
      again: '0xb1436ce9524109b017819e78cf181e4d7504117a692c4a1999fee965167c20a8',
    },
  );
});

test('a nonce says to us what it pays and whom, and to another seed nothing', () => {
  const other = seedOf(randomBytes(32));
  for (let i = 0; i < 1_000; i++) {
    const keyId = newKeyId();
    const what = markOfPayment(seed, { kind: 'request', request: randomUUID() as RequestId });
    const nonce = nonceOfPayment(seed, PAYER, what, keyId);
    assert.deepEqual(readNonceOfPayment(seed, PAYER, nonce), { what, recipient: keyId });
    assert.notDeepEqual(readNonceOfPayment(other, PAYER, nonce).recipient, keyId);
    const stranger = asAddress(`0x${'22'.repeat(20)}`);
    assert.notDeepEqual(readNonceOfPayment(seed, stranger, nonce).recipient, keyId);
  }
});

test('what is paid is named for one payment only', () => {
  const names: PaymentName[] = [
    { kind: 'request', request },
    { kind: 'reward', request },
    { kind: 'transfer', id: request as string as TransferId },
    { kind: 'key', key, day: null },
    { kind: 'key', key, day: '2026-11-27' },
    { kind: 'key', key, day: '2026-11-28' },
    { kind: 'key', key: Buffer.alloc(32, 8), day: null },
    ...[0, 1].flatMap((number) =>
      [key, null].map((asked) => ({ kind: 'refund', request, number, key: asked }) as const),
    ),
  ];
  const marks = names.map((name) => markOfPayment(seed, name).toString('hex'));
  assert.equal(new Set(marks).size, names.length);
});

test('a refund is found by its number, and by its key', () => {
  const mark = markOfPayment(seed, { kind: 'refund', request, number: 3, key });
  assert.deepEqual(mark.subarray(0, 8), markOfRefund(seed, request, 3));
  assert.deepEqual(mark.subarray(8), markOfRefundKey(seed, request, key));
});

/** Whether they miss the half by more than five standard deviations. */
const deviates = (ones: number, bits: number) => Math.abs(ones - bits / 2) > (5 * Math.sqrt(bits)) / 2;

test('to others, 10,000 nonces are random, and those of one recipient do not go together', () => {
  // Nothing here is drawn by chance, so that it fails always or never.
  const everyone: Hash[] = [];
  for (let i = 0; i < 10_000; i++) {
    const payer = asAddress(`0x${(i % 10).toString(16).repeat(40)}`) as Address;
    const what = markOfPayment(seed, { kind: 'key', key, day: `${i}` });
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
