import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmEmailChange, startEmailChange } from '../../src/features/accounts/change-email.ts';
import { findUser } from '../../src/identity/users.ts';
import { cookieOf, sendForm } from '../kit/service/forms.ts';
import { type Person, signIn } from '../kit/service/people.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';
import { changeAttempts } from '../rows/passing.ts';
import { prove } from './prove.ts';

test('password guesses are throttled', async (t) => {
  const service = await startTestService(t, behindProxy);
  const person = await personWithPassword(service);
  t.mock.method(service.service.delays, 'wait', async () => {});
  const wrong = (email: string, from: Record<string, string>, password = 'wrong password') =>
    sendForm(service, '/sign-in', { email, password }, from);

  await t.test('one place gets ten tries at an account, and its owner can sign in from elsewhere', async () => {
    const stranger = somewhere();
    const answers = await Promise.all(Array.from({ length: 14 }, () => wrong(person.email, stranger)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [...Array(10).fill(422), ...Array(4).fill(429)]);
    assert.equal((await wrong(person.email, stranger, PASSWORD)).statusCode, 429, 'nor the right one, then');
    assert.equal((await wrong(person.email, somewhere(), PASSWORD)).statusCode, 303);
  });

  await t.test('the limit of tries is the same for an address without an account', async () => {
    const refusalOf = async (email: string) => {
      const stranger = somewhere();
      const answers = await Promise.all(Array.from({ length: 12 }, () => wrong(email, stranger)));
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      assert.equal(refused.length, 2);
      return refused[0]!.body.replace(email, '');
    };
    const ada = await personWithPassword(service);
    assert.equal(await refusalOf('nobody@mail.example'), await refusalOf(ada.email));
  });

  await t.test('refused tries from one place do not count against the account’s own limit', async () => {
    const stranger = somewhere();
    const victim = await personWithPassword(service);
    const before = await attemptsCounted(service);
    for (let i = 0; i < 12; i++) await wrong(victim.email, stranger);
    assert.deepEqual((await attemptsCounted(service)).slice(before.length), [12, 12, 12, 10]);
    assert.equal((await attemptsTaken(service)).at(-1), 10);
  });

  await t.test('one place cannot fill the throttle table with made-up addresses', async () => {
    const stranger = somewhere();
    const before = (await attemptsCounted(service)).length;
    const budgets = (await attemptsTaken(service)).length;
    await wrong('first@mail.example', stranger);
    const { db } = service.service;
    const [fourth] = await db.query<{ key: Buffer }>(
      'SELECT key FROM attempts ORDER BY resets_at DESC OFFSET 3 LIMIT 1',
    );
    await changeAttempts(db, { key: fourth!.key }, { count: 100 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => wrong(`made-up-${n}@mail.example`, stranger)),
    );
    assert.ok(answers.every(({ statusCode }) => statusCode === 429));
    assert.equal((await attemptsCounted(service)).length, before + 4);
    assert.equal((await attemptsTaken(service)).length, budgets + 1);
  });

  await t.test('many networks of one site use up only a small part of the account’s own limit', async () => {
    const { email } = await personWithPassword(service);
    const network = (n: number) => ({ 'x-forwarded-for': `2001:db8:ffff:${n}::1` });
    for (const [path, most] of [
      ['/sign-in', 20],
      ['/forgot', 10],
    ] as const) {
      const answers = [];
      for (let n = 0; n < 30; n++) {
        answers.push(await sendForm(service, path, { email, password: 'wrong password' }, network(n % 6)));
      }
      assert.equal(answers.filter(({ statusCode }) => statusCode !== 429).length, most, path);
      assert.notEqual((await sendForm(service, path, { email, password: PASSWORD }, somewhere())).statusCode, 429);
    }
  });

  await t.test('a signed-in thief cannot use up the owner’s tries in another session', async () => {
    const [owner, { db }] = [await personWithPassword(service), service.service];
    const thief = await signIn(service, owner.userId);
    const user = (await findUser(db, owner.userId))!;
    const start = ({ session }: Pick<Person, 'session'>, n: number) =>
      startEmailChange(service.service, user, session, `wanted-${n}@mail.example`);
    for (let n = 0; n < 5; n++) await start(thief, n);
    await assert.rejects(start(thief, 5), { code: 'too-many-tries' });
    const change = await start(owner, 6);
    const guess = ({ session }: Pick<Person, 'session'>) =>
      confirmEmailChange(service.service, user, session, { ...change, sessionUid: session.uid }, NO_CODES);
    for (let n = 0; n < 50; n++) await guess(thief);
    await assert.rejects(guess(thief), { code: 'too-many-tries' });
    assert.equal((await guess(owner)).kind, 'wrong');
  });

  await t.test('after too many tries a new password signs in, and leads to where they wanted to go', async () => {
    const [{ email }, stranger] = [await personWithPassword(service), somewhere()];
    const fields = { email, password: 'wrong password', return_to: '/account/apps', inline: 'true' };
    const answers = [];
    for (let i = 0; i < 11; i++) answers.push(await sendForm(service, '/sign-in', fields, stranger));
    const refused = answers.at(-1)!;
    assert.equal(refused.statusCode, 429);
    const notice = /role="alert">Too many attempts\. Please wait 15 minutes.* Or <a href="([^"]+)">/.exec(refused.body);
    const forgot = new URL(notice![1]!.replaceAll('&amp;', '&'), service.origin);
    assert.equal(forgot.pathname, '/forgot');
    const flow = await prove(service, '/forgot', email);
    const reset = { ...Object.fromEntries(forgot.searchParams), flow, password: 'a new password' };
    const done = await sendForm(service, '/forgot/password', reset, stranger);
    assert.equal(done.statusCode, 303);
    assert.match(done.headers.location!, /return_to=%2Faccount%2Fapps&inline=true$/);
    const back = await service.app.inject({ url: '/account/apps', headers: { cookie: cookieOf(done) } });
    assert.equal(back.statusCode, 200);
  });

  await t.test('a forwarded-for header is ignored without a trusted proxy', async (t) => {
    const open = await sharedService(t);
    t.mock.method(open.service.delays, 'wait', async () => {});
    const answers = [];
    for (let i = 0; i < 12; i++) {
      answers.push(await sendForm(open, '/sign-in', { email: 'a@mail.example', password: 'x' }, somewhere()));
    }
    assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 2);
  });
});

const NO_CODES = { oldCode: '', newCode: '' };

/** Counters in the order they were made: the place's and its neighbours', those of both and the account. */
async function attemptsCounted({ service }: TestService): Promise<number[]> {
  const rows = await service.db.query<{ count: number }>('SELECT count FROM attempts ORDER BY resets_at, count');
  return rows.map(({ count }) => count);
}

/** How many failures each account has, in the order of their last one. */
async function attemptsTaken({ service }: TestService): Promise<number[]> {
  const rows = await service.db.query<{ count: number }>(
    'SELECT cardinality(taken) AS count FROM attempt_budgets ORDER BY forget_at',
  );
  return rows.map(({ count }) => count);
}
