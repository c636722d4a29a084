import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeIn as codeInMail, mailAtOnce } from '../kit/service/mailbox.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { codeIn, hiddenField, isSignedIn, mailTo, send, visit } from '../kit/service/visits.ts';

const CONFIRM = '/account/email/confirm';

test('changing the e-mail address', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const emailOf = async ({ userId }: Person) =>
    (await db.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [userId]))[0]?.email;

  /** Starts a change. Returns the hidden field of the second form and both codes. `n`: which mail to the new address has the code. */
  const begin = async (person: Person, to: string, n = 1) => {
    const answer = await send(service, person, '/account/email', { email: to });
    assert.equal(answer.status, 200);
    const old_code = codeIn(await mailTo(service, person.email, 'is your code to change'));
    // The newest mail is not enough: another user's may have arrived, and this one not yet.
    const new_code = codeInMail(await mailAtOnce(service, to, n));
    return { change: hiddenField(answer, 'change'), old_code, new_code, body: answer.body };
  };
  const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  await t.test('a change with a code from both addresses ends other sessions and mails the old address', async () => {
    const ada = await createPerson(service);
    const elsewhere = await signIn(service, ada.userId);
    const { change, old_code, new_code } = await begin(ada, 'Ada.New@mail.example');
    assert.equal(await emailOf(ada), ada.email);
    const answer = await send(service, ada, CONFIRM, { change, old_code, new_code });
    assert.deepEqual([answer.status, answer.location], [303, '/account?changed=email']);
    assert.equal(await emailOf(ada), 'Ada.New@mail.example');
    assert.ok(await isSignedIn(service, ada));
    assert.ok(!(await isSignedIn(service, elsewhere)));
    assert.match(await mailTo(service, ada.email, 'address was changed'), /Ada\.New@mail\.example/);
    const again = await send(service, ada, CONFIRM, { change, old_code, new_code });
    assert.equal(again.status, 400, 'the same form again is of an address they have no more');
  });

  await t.test('one correct code changes nothing, and is kept while the other is typed again', async () => {
    for (const wrong of ['old_code', 'new_code'] as const) {
      const ada = await createPerson(service);
      const to = `other-${ada.userId}@mail.example`;
      const codes = await begin(ada, to);
      const { change, old_code, new_code } = codes;
      const answer = await send(service, ada, CONFIRM, { change, old_code, new_code, [wrong]: other(codes[wrong]) });
      assert.equal(answer.status, 400);
      assert.match(answer.body, /was correct/);
      assert.equal((answer.body.match(/aria-invalid/g) ?? []).length, 1);
      assert.equal(await emailOf(ada), ada.email);
      const kept = hiddenField(answer, 'change');
      assert.equal((await send(service, ada, CONFIRM, { change: kept, [wrong]: '' })).status, 400);
      assert.equal((await send(service, ada, CONFIRM, { change: kept, [wrong]: codes[wrong] })).status, 303);
      assert.equal(await emailOf(ada), to);
    }
  });

  await t.test('after a wrong code the page says how much time is left for the same codes', async (t) => {
    const ada = await createPerson(service);
    const { change, old_code, new_code, body } = await begin(ada, `late-${ada.userId}@mail.example`);
    assert.match(body, /Enter both codes[\s\S]*The codes expire in 10 minutes\./);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3 * 60_000 });
    const wrong = { old_code: other(old_code), new_code: other(new_code) };
    const neither = await send(service, ada, CONFIRM, { change, ...wrong });
    assert.match(neither.body, /Enter both codes[\s\S]*The codes expire in 7 minutes\./);
    const one = await send(service, ada, CONFIRM, { change, ...wrong, old_code });
    assert.match(one.body, /Enter the other code[\s\S]*The other code expires in 7 minutes\./);
  });

  await t.test('attempts at the codes are limited', async () => {
    const ada = await createPerson(service);
    const { change, old_code, new_code } = await begin(ada, `guess-${ada.userId}@mail.example`);
    for (let i = 0; i < 5; i++) await send(service, ada, CONFIRM, { change, old_code: other(old_code), new_code: '' });
    assert.equal((await send(service, ada, CONFIRM, { change, old_code, new_code })).status, 400);
    assert.equal(await emailOf(ada), ada.email);
  });

  await t.test('only its owner learns that an address has an account', async () => {
    const ada = await createPerson(service);
    const eve = await createPerson(service);
    const bob = await createPerson(service);
    const free = await begin(bob, `free-${bob.userId}@mail.example`);
    const taken = await begin(ada, eve.email.toUpperCase());
    const neutral = (body: string, from: Person, to: string) =>
      body
        .replaceAll(to, 'TO')
        .replaceAll(from.email, 'FROM')
        .replaceAll(/name="(change|csrf)" value="[^"]+"/g, '');
    assert.equal(
      neutral(taken.body, ada, eve.email.toUpperCase()),
      neutral(free.body, bob, `free-${bob.userId}@mail.example`),
    );
    assert.match(
      await mailTo(service, eve.email.toUpperCase(), 'is your code'),
      /already belongs to another Quarters account/,
    );
    const guessed = await send(service, ada, CONFIRM, { ...taken, body: '', new_code: other(taken.new_code) });
    assert.doesNotMatch(guessed.body, /belongs to another/);
    const change = hiddenField(guessed, 'change');
    const proved = await send(service, ada, CONFIRM, { change, new_code: taken.new_code });
    assert.equal(proved.status, 409);
    assert.match(proved.body, /Another account uses this address/);
    assert.deepEqual([await emailOf(ada), await emailOf(eve)], [ada.email, eve.email]);
  });

  await t.test('two users who change to the same address at once: one gets it', async () => {
    const people = [await createPerson(service), await createPerson(service)];
    const to = 'wanted@mail.example';
    const codes: Awaited<ReturnType<typeof begin>>[] = [];
    for (const [i, person] of people.entries()) codes.push(await begin(person, to, i + 1));
    const answers = await Promise.all(
      people.map((person, i) => send(service, person, CONFIRM, { ...codes[i]!, body: '' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409]);
    assert.equal((await db.query('SELECT FROM users WHERE email = $1', [to])).length, 1);
  });

  await t.test('the second form works only in the session of the first', async () => {
    const ada = await createPerson(service);
    const eve = await createPerson(service);
    const { change, old_code, new_code } = await begin(ada, `mine-${ada.userId}@mail.example`);
    const sameUser = await signIn(service, ada.userId);
    for (const person of [eve, sameUser]) {
      const answer = await send(service, person, CONFIRM, { change, old_code, new_code });
      assert.equal(answer.status, 400);
      assert.match(answer.body, /start again/);
    }
    for (const altered of ['', 'x', `${change.slice(0, -2)}AA`]) {
      assert.equal((await send(service, ada, CONFIRM, { change: altered, old_code, new_code })).status, 400);
    }
    assert.equal(await emailOf(ada), ada.email);
  });

  await t.test(
    'an invalid or unchanged address is refused beside the field, and too many mails are refused',
    async () => {
      const ada = await createPerson(service);
      for (const email of ['', 'no', ada.email]) {
        const answer = await send(service, ada, '/account/email', { email });
        assert.equal(answer.status, 400);
        assert.match(answer.body, /aria-invalid/);
      }
      for (let i = 0; i < 5; i++) {
        assert.equal((await send(service, ada, '/account/email', { email: `n${i}-${ada.email}` })).status, 200);
      }
      const refused = await send(service, ada, '/account/email', { email: `n5-${ada.email}` });
      assert.equal(refused.status, 429);
      assert.match(refused.body, /Please wait an hour and try again\./);
      assert.equal((await visit(service, ada, '/account/email/confirm')).location, '/account/email');
    },
  );
});
