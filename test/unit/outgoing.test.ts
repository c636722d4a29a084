import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import type { Hash } from '../../src/base/hex.ts';
import { Outgoing } from '../../src/chain/outgoing.ts';

const relayer = asAddress(`0x${'11'.repeat(20)}`);

function transactions(first: number, count: number, { byte = '00', size = 10 } = {}) {
  return Array.from({ length: count }, (_, i) => ({
    ...{ hash: `0x${byte.repeat(32)}` as Hash, relayer, nonce: BigInt(first + i), raw: Buffer.alloc(size) },
  }));
}

const noncesOf = (taken: readonly { readonly nonce: bigint }[]) => taken.map(({ nonce }) => Number(nonce));

test('committed transactions are taken once, in the order of their nonces', () => {
  const outgoing = new Outgoing();
  outgoing.add(relayer, transactions(5, 4));
  assert.deepEqual(noncesOf(outgoing.take(relayer, 5n, 100n, 2)), [5, 6]);
  assert.deepEqual(noncesOf(outgoing.take(relayer, 7n, 8n, 9)), [7]);
  // The process did not hold the relayer when those in between were committed.
  outgoing.add(relayer, transactions(20, 2));
  assert.deepEqual(noncesOf(outgoing.take(relayer, 8n, 100n, 9)), [8]);
  assert.deepEqual(noncesOf(outgoing.take(relayer, 9n, 100n, 9)), []);
  assert.deepEqual(noncesOf(outgoing.take(relayer, 20n, 100n, 9)), [20, 21]);
});

test('a nonce that is given once more ends what was kept', () => {
  const outgoing = new Outgoing();
  outgoing.add(relayer, transactions(5, 4));
  outgoing.add(relayer, transactions(7, 2, { byte: 'ff' }));
  assert.deepEqual(outgoing.take(relayer, 5n, 100n, 9), []);
  const [next] = outgoing.take(relayer, 7n, 100n, 1);
  assert.equal(next?.hash, `0x${'ff'.repeat(32)}`);
});

test('32 MB are kept for a relayer, and nothing for one that another process holds', () => {
  const outgoing = new Outgoing();
  outgoing.add(relayer, transactions(0, 3, { size: 10_000_000 }));
  outgoing.add(relayer, transactions(3, 1, { size: 10_000_000 }));
  assert.deepEqual(noncesOf(outgoing.take(relayer, 0n, 100n, 9)), [0, 1, 2]);
  outgoing.add(relayer, transactions(4, 1, { size: 10_000_000 }));
  assert.deepEqual(noncesOf(outgoing.take(relayer, 4n, 100n, 9)), [4]);
  outgoing.add(relayer, transactions(5, 1));
  outgoing.keepOnly([asAddress(`0x${'22'.repeat(20)}`)]);
  assert.deepEqual(outgoing.take(relayer, 5n, 100n, 9), []);
});

test('a group waits for the batch that is being sent if many wait behind it, and for nothing else', async () => {
  const outgoing = new Outgoing();
  const { promise: batch, resolve } = Promise.withResolvers<void>();
  let hasWaited = false;
  const wait = () =>
    outgoing.giveWay().then(() => {
      hasWaited = true;
    });
  outgoing.add(relayer, transactions(0, 1, { size: 1_000 }));
  const sending = outgoing.sending(batch);
  await wait();
  outgoing.add(relayer, transactions(1, 1, { size: 1_000_000 }));
  hasWaited = false;
  const waiting = wait();
  await new Promise((done) => setImmediate(done));
  assert.equal(hasWaited, false);
  resolve();
  await Promise.all([sending, waiting]);
  // Nothing is being sent now, as if the node were away.
  await wait();
});
