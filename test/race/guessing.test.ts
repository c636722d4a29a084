import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { giveBackToBudget, keyHash, takeFromBudget } from '../../src/identity/attempts.ts';
import { sendForm } from '../kit/service/forms.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';
import { ageAttemptBudget, fillAttemptBudget } from '../rows/passing.ts';

test('a throttle holds for concurrent attempts', async (t) => {
  const { service } = await sharedService(t);
  const { db } = service;
  const times = (n: number) => Array.from({ length: n });

  await t.test('no more attempts are taken than allowed, and one that is given back can be taken again', async () => {
    const budget = { key: randomBytes(32), most: 30, minutes: 60 };
    const take = async (n: number) => {
      const taken = await Promise.all(times(n).map(() => takeFromBudget(db, budget)));
      return taken.filter((one) => one !== null);
    };
    const first = await take(80);
    assert.deepEqual(
      first.map(({ count }) => count).sort((a, b) => a - b),
      times(30).map((_, i) => i + 1),
    );
    await Promise.all(first.slice(0, 12).map((taken) => giveBackToBudget(db, budget, taken)));
    assert.equal((await take(40)).length, 12);
  });

  await t.test('an attempt is given back only once', async () => {
    const budget = { key: randomBytes(32), most: 2, minutes: 60 };
    const taken = (await takeFromBudget(db, budget))!;
    await takeFromBudget(db, budget);
    await Promise.all(times(5).map(() => giveBackToBudget(db, budget, taken)));
    assert.ok(await takeFromBudget(db, budget));
    assert.equal(await takeFromBudget(db, budget), null);
  });

  await t.test('as many concurrent attempts pass as earlier ones have expired', async () => {
    const budget = { key: randomBytes(32), most: 10, minutes: 60 };
    for (let i = 0; i < 4; i++) await takeFromBudget(db, budget);
    await ageAttemptBudget(db, budget.key, '60 minutes');
    for (let i = 0; i < 6; i++) await takeFromBudget(db, budget);
    const taken = await Promise.all(times(20).map(() => takeFromBudget(db, budget)));
    assert.equal(taken.filter((one) => one !== null).length, 4);
  });
});

test('concurrent wrong passwords in two processes never exceed the account’s allowed failures', async (t) => {
  const first = await sharedService(t, behindProxy);
  const second = await startSecondService(t, first);
  for (const { delays } of [first.service, second.service]) t.mock.method(delays, 'wait', async () => {});
  const { email } = await personWithPassword(first);
  const fail = () => sendForm(first, '/sign-in', { email, password: 'wrong' }, somewhere());
  await fail();
  // Starts near the limit, because each real attempt costs the hash of a password.
  await fillAttemptBudget(first.service.db, keyHash('sign-in', 'unknown browsers', email), 80);
  // One in five is right and takes from the throttle only for a moment.
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      const where = i % 2 === 0 ? first : { ...first, app: second.app };
      return sendForm(where, '/sign-in', { email, password: i % 5 === 0 ? PASSWORD : 'wrong' }, somewhere());
    }),
  );
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
  assert.equal(count(422) + count(303) + count(429), 40);
  assert.ok(count(303) > 0);
  assert.ok(count(422) <= 20, `${count(422)} wrong ones`);
  // Exactly the right attempts have been given back.
  let wrong = count(422);
  while ((await fail()).statusCode === 422) wrong++;
  assert.equal(wrong, 20);
});
