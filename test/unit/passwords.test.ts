import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { UserId } from '../../src/base/ids.ts';
import type { Query } from '../../src/db/database.ts';
import { hashPassword, passwordMatches } from '../../src/identity/passwords.ts';

const SOMEBODY = 'somebody' as UserId;

/** From the tests of Argon2's reference implementation: `password` with the salt `somesalt`, at a low cost. */
const REFERENCE = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';

/** A database with this one hash. */
const holding = (hash: string) => ({ query: (async () => [{ hash }]) as unknown as Query });

test('a password is stored as argon2id, salted', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await passwordMatches(holding(one), SOMEBODY, 'correct horse'), true);
  assert.equal(await passwordMatches(holding(one), SOMEBODY, 'correct horsE'), false);
});

test('all characters of a password count, in any Unicode form', async () => {
  const long = `${'é'.repeat(127)}1`;
  const stored = holding(await hashPassword(long));
  assert.equal(await passwordMatches(stored, SOMEBODY, long.normalize('NFD')), true);
  assert.equal(await passwordMatches(stored, SOMEBODY, `${'é'.repeat(127)}2`), false);
});

test('a password is compared at the cost it was stored with', async () => {
  assert.equal(await passwordMatches(holding(REFERENCE), SOMEBODY, 'password'), true);
  assert.equal(await passwordMatches(holding(REFERENCE), SOMEBODY, 'passwort'), false);
});

/** Where two at once would take every processor, one is compared at a time. */
const AT_WORK = availableParallelism() > 2 ? 2 : 1;

test('checks beyond the queue are refused, and queued ones get their turn', async () => {
  const tries = await Promise.allSettled(
    Array.from({ length: 210 }, (_, i) => passwordMatches(holding(REFERENCE), SOMEBODY, 'x', `place ${i}`)),
  );
  const refused = tries.filter((one) => one.status === 'rejected');
  assert.equal(refused.length, 10 - AT_WORK, 'the others are at work, and 200 in the queue');
  for (const { reason } of refused) assert.equal(reason.code, 'overloaded');
  assert.equal(await passwordMatches(holding(REFERENCE), SOMEBODY, 'x'), false, 'afterwards all is as before');
});

test('one place cannot fill the queue', async () => {
  const compare = (by: string) => passwordMatches(holding(REFERENCE), SOMEBODY, 'x', by);
  const many = Array.from({ length: 100 }, () => compare('one place'));
  const elsewhere = compare('another');
  const refused = (await Promise.allSettled(many)).filter((one) => one.status === 'rejected');
  assert.equal(refused.length, 80 - AT_WORK, 'the others are at work, and 20 in the queue');
  for (const { reason } of refused) assert.equal(reason.code, 'too-many-tries');
  assert.equal(await elsewhere, false);
});
