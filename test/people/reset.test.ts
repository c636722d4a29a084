import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordMatches } from '../../src/identity/passwords.ts';
import { changeEmailOf } from '../../src/identity/users.ts';
import { cookieOf, hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import { signIn } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';

const send = (service: TestService, path: string, fields: Record<string, string>, headers = {}) =>
  sendForm(service, path, fields, { ...somewhere(), ...headers });

/** Asks for a code and reads it from the n-th mail; returns it with the page's sealed field. */
async function ask(service: TestService, email: string, n = 1) {
  const { body } = await send(service, '/forgot', { email });
  return { flow: hiddenField(body, 'flow'), code: codeIn(await mailAtOnce(service, email, n)) };
}

test('resetting a password by mail', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const opens = async (cookie: string) =>
    (await service.app.inject({ url: '/sign-in', headers: { cookie } })).statusCode === 303;

  await t.test('a reset code sets a new password and ends all other sessions', async () => {
    const person = await personWithPassword(service);
    const elsewhere = await signIn(service, person.userId);
    const { flow, code } = await ask(service, person.email);
    const step = await send(service, '/forgot/code', { flow, code: `${code.slice(0, 3)} ${code.slice(3)}` });
    assert.equal(step.statusCode, 200);
    const proved = hiddenField(step.body, 'flow');

    const short = await send(service, '/forgot/password', { flow: proved, password: 'short' });
    assert.equal(short.statusCode, 422);
    assert.match(short.body, /at least 12 characters/);
    assert.ok(await opens(elsewhere.cookie), 'nothing has happened yet');

    const fields = { flow: proved, password: 'the new password', return_to: '/account/passkeys' };
    const done = await send(service, '/forgot/password', fields, { cookie: person.cookie });
    assert.equal(done.statusCode, 303);
    assert.equal(done.headers.location, '/account/check?changed=password&return_to=%2Faccount%2Fpasskeys');
    assert.ok(await opens(cookieOf(done)));
    for (const cookie of [person.cookie, elsewhere.cookie]) assert.equal(await opens(cookie), false);
    assert.ok(await passwordMatches(db, person.userId, 'the new password'));
    assert.equal(await passwordMatches(db, person.userId, PASSWORD), false);
    const { subject, text } = await mailAtOnce(service, person.email, 2);
    assert.equal(subject, 'Your password was changed');
    assert.doesNotMatch(text, /[Pp]asskey|[Gg]ame|\/account\/check/, 'there are none to speak of');

    const again = await send(service, '/forgot/password', { ...fields, password: 'of who comes after' });
    assert.equal(again.statusCode, 401, 'the page cannot be sent a second time');
    assert.ok(await passwordMatches(db, person.userId, 'the new password'));
  });

  await t.test('an address without an account gets the same page, and a mail that says so', async () => {
    const person = await personWithPassword(service);
    const pages = [];
    for (const email of [person.email, 'nobody@mail.example']) {
      const { statusCode, body, headers } = await send(service, '/forgot', { email });
      const sealed = hiddenField(body, 'flow');
      assert.ok(sealed);
      const { date: _, 'content-length': __, ...same } = headers;
      pages.push({ statusCode, same, body: body.replaceAll(sealed, '').replaceAll(email, '') });
    }
    assert.deepEqual(pages[1], pages[0]);
    const mail = await mailAtOnce(service, 'nobody@mail.example');
    assert.equal(mail.subject, 'There is no account with this address');
    assert.equal(codeIn(mail), '', 'no code is in it');
    const stored = await db.query(`SELECT FROM email_codes WHERE email IN ($1, 'nobody@mail.example')`, [person.email]);
    assert.equal(stored.length, 2, 'the work is the same, too');
  });

  await t.test('after five wrong tries the right reset code is refused', async () => {
    const person = await personWithPassword(service);
    const { flow, code } = await ask(service, person.email);
    const wrong = code === '000000' ? '000001' : '000000';
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(service, '/forgot/code', { flow, code: wrong })),
    );
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      Array(5).fill(422),
    );
    assert.equal((await send(service, '/forgot/code', { flow, code })).statusCode, 422);
  });

  await t.test('one place can guess only a limited number of codes, whatever the account', async () => {
    const from = somewhere();
    const { body } = await send(service, '/forgot', { email: 'another@mail.example' });
    const flow = hiddenField(body, 'flow');
    const guesses = Array.from({ length: 52 }, () => sendForm(service, '/forgot/code', { flow, code: '123456' }, from));
    const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode);
    assert.equal(statuses.filter((status) => status === 429).length, 2);
  });

  await t.test('a reset code sent twice at once works once', async () => {
    const person = await personWithPassword(service);
    const { flow, code } = await ask(service, person.email);
    const both = await Promise.all([1, 2, 3].map(() => send(service, '/forgot/code', { flow, code })));
    assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [200, 422, 422]);
  });

  await t.test('a new password sent twice at once is set once', async () => {
    const person = await personWithPassword(service);
    const { flow, code } = await ask(service, person.email);
    const proved = hiddenField((await send(service, '/forgot/code', { flow, code })).body, 'flow');
    const both = await Promise.all(
      ['first password', 'second password'].map((password) =>
        send(service, '/forgot/password', { flow: proved, password }),
      ),
    );
    assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [303, 401]);
  });

  await t.test('a double click on the last button still signs in', async () => {
    const person = await personWithPassword(service);
    const { flow, code } = await ask(service, person.email);
    const proved = hiddenField((await send(service, '/forgot/code', { flow, code })).body, 'flow');
    const fields = { flow: proved, password: 'the new password' };
    const both = await Promise.all([1, 2].map(() => send(service, '/forgot/password', fields)));
    assert.deepEqual(
      both.map(({ statusCode }) => statusCode),
      [303, 303],
    );
    for (const answer of both) assert.ok(await opens(cookieOf(answer)));
  });

  await t.test('the sealed field of the first step does not open the last step', async () => {
    const person = await personWithPassword(service);
    const { flow } = await ask(service, person.email);
    for (const forged of [flow, '', 'x', Buffer.alloc(80).toString('base64url')]) {
      const answer = await send(service, '/forgot/password', { flow: forged, password: 'of a stranger' });
      assert.equal(answer.statusCode, 401);
    }
    assert.ok(await passwordMatches(db, person.userId, PASSWORD));
  });

  await t.test('a reset code for an account’s former address is refused', async () => {
    const person = await personWithPassword(service);
    const { flow, code } = await ask(service, person.email);
    await changeEmailOf(db, person.userId, { from: person.email, to: 'moved-on@mail.example' });
    assert.equal((await send(service, '/forgot/code', { flow, code })).statusCode, 422);
  });

  await t.test('reset forms from other sites are refused, and reset mails from one place are limited', async () => {
    for (const path of ['/forgot', '/forgot/code', '/forgot/password']) {
      const answer = await send(service, path, { email: 'x@mail.example' }, { origin: 'https://evil.example' });
      assert.equal(answer.statusCode, 403);
    }
    assert.equal((await mailsTo(service, 'x@mail.example')).length, 0);
    const [statuses, from] = [[] as number[], somewhere()];
    for (let i = 0; i < 6; i++) {
      statuses.push((await sendForm(service, '/forgot', { email: 'flooded@mail.example' }, from)).statusCode);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429], 'a few from one place to one address');
    for (const email of ['', 'nonsense', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example']) {
      assert.equal((await send(service, '/forgot', { email })).statusCode, 422, email);
    }
  });
});
