import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { recoverAddress } from 'viem';
import { toChecksum } from '../../src/base/address.ts';
import { bytesToHex } from '../../src/base/hex.ts';
import { signMany } from '../../src/custody/sign-many.ts';
import { openSigner, signDigests } from '../../src/custody/signer.ts';
import { digestsToSign, memoryVault } from '../kit/unit/signing.ts';

const threads: Worker[] = [];
process.on('worker', (thread) => threads.push(thread));

const vault = await memoryVault();
/** Enough to be signed in the thread. */
const MANY = 40;

test('few digests and many, of one account and of several, get the signatures of each account', async () => {
  for (const [count, accounts] of [
    [0, 1],
    [1, 1],
    [8, 3],
    [9, 1],
    [MANY, 1],
    [MANY, 7],
    [MANY, MANY],
  ] as const) {
    const items = digestsToSign(vault, count, accounts);
    const expected = items.map(({ address, storedKey, digest }) => openSigner(vault, address, storedKey).sign(digest));
    assert.deepEqual(await signMany(vault, items), expected.map(asBytes), `${count} of ${accounts}`);
    for (const [i, { address, digest }] of items.slice(0, accounts).entries()) {
      const { rs, yParity } = expected[i]!;
      const [r, s] = [bytesToHex(rs.subarray(0, 32)), bytesToHex(rs.subarray(32))];
      const signer = await recoverAddress({ hash: bytesToHex(digest), signature: { r, s, yParity } });
      assert.equal(signer, toChecksum(address), 'an address is that of its key');
    }
  }
  assert.equal(threads.length, 1, 'one thread signs them all');
});

test('calls at the same moment get each its own signatures', async () => {
  const calls = Array.from({ length: 5 }, () => digestsToSign(vault, MANY, 2));
  const signed = await Promise.all(calls.map((items) => signMany(vault, items)));
  for (const [i, items] of calls.entries()) {
    const { address, storedKey, digest } = items[1]!;
    assert.deepEqual(signed[i]![1], asBytes(openSigner(vault, address, storedKey).sign(digest)));
  }
});

test('nothing is signed if one key was sealed for another account, or one digest has not 32 bytes', async () => {
  for (const count of [2, MANY]) {
    const [first, ...rest] = digestsToSign(vault, count, count);
    const { storedKey } = rest[0]!;
    await assert.rejects(signMany(vault, [{ ...first!, storedKey }, ...rest]), /unable to authenticate/);
    for (const length of [31, 33]) {
      const digest = randomBytes(length);
      await assert.rejects(signMany(vault, [{ ...first!, digest }, ...rest]), new RegExp(`digest of ${length} bytes`));
    }
  }
});

test('keys are wiped after signing', () => {
  const keys = new Uint8Array(randomBytes(64));
  signDigests({ keys, keyOf: Uint32Array.of(1, 0), digests: randomBytes(64) });
  assert.deepEqual(keys, new Uint8Array(64));
});

test('a crash of the thread rejects what waits, and the next call is signed in a new thread', async () => {
  const items = digestsToSign(vault, MANY, 1);
  await signMany(vault, items);
  const started = threads.length;
  threads.at(-1)?.postMessage('not a task');
  const waiting = [signMany(vault, items), signMany(vault, items)];
  for (const outcome of await Promise.allSettled(waiting)) {
    assert.equal(outcome.status, 'rejected');
    assert.equal(outcome.reason.message, 'The thread “signing” has ended');
    assert.ok(outcome.reason.cause instanceof TypeError);
  }
  assert.equal((await signMany(vault, items)).length, MANY);
  assert.equal(threads.length, started + 1);
});

test('a process that waits for signatures gets them, and then ends by itself', async () => {
  const script = `
    import { signMany } from '${new URL('../../src/custody/sign-many.ts', import.meta.url)}';
    import { digestsToSign, memoryVault } from '${new URL('../kit/unit/signing.ts', import.meta.url)}';
    const vault = await memoryVault();
    console.log((await signMany(vault, digestsToSign(vault, ${MANY}, 1))).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.equal(stdout, `${MANY}\n`);
});

/** deepEqual distinguishes a Buffer from other bytes. */
function asBytes<T extends { readonly rs: Uint8Array }>(signature: T): T {
  return { ...signature, rs: new Uint8Array(signature.rs) };
}
