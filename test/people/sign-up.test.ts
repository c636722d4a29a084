import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { signIn } from '../../src/features/sessions/sign-in.ts';
import { findUserByEmail } from '../../src/identity/users.ts';
import { lookUpAccountOfUser } from '../../src/ledger/accounts.ts';
import { findSession } from '../../src/oauth/sessions.ts';
import { sealField } from '../../src/web/wizard.ts';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import { createPerson, PASSWORD } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy } from '../kit/service/with-password.ts';
import { changeEmailCodes } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';

const RETURN = '/oauth/interaction/abc?x=1';
const ACCOUNT = { display_name: '  Ada   Lovelace ', password: PASSWORD };

let clients = 0;
/** Every call from another place: limits count by it. */
const somewhere = () => ({ 'x-forwarded-for': `2001:db8:2:${(++clients).toString(16)}::1` });
const send = (service: TestService, path: string, fields: Record<string, string>, headers = {}) =>
  sendForm(service, path, fields, { ...somewhere(), ...headers });

const newEmail = () => `New.${randomUUID()}@mail.example`;

/** Asks for a code, and reads it; returns it with the page's sealed field. */
async function ask(service: TestService, email: string, n = 1) {
  const { statusCode, body } = await send(service, '/sign-up', { email, return_to: RETURN });
  assert.equal(statusCode, 200);
  return { flow: hiddenField(body, 'flow'), code: codeIn(await mailAtOnce(service, email, n)) };
}

/** The sealed field of the last page. */
async function prove(service: TestService, email: string) {
  const { statusCode, body } = await send(service, '/sign-up/code', await ask(service, email));
  assert.equal(statusCode, 200);
  return hiddenField(body, 'flow');
}

test('signing up', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;

  await t.test('address, code, name and password create an account, sign in and redirect back', async () => {
    const email = newEmail();
    const page = await service.app.inject({ url: `/sign-up?${new URLSearchParams({ return_to: RETURN })}` });
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers['x-frame-options'], 'DENY');
    assert.equal(hiddenField(page.body, 'return_to'), RETURN);

    const { flow, code } = await ask(service, email);
    const step = await send(service, '/sign-up/code', { flow, code: `${code.slice(0, 3)} ${code.slice(3)}` });
    assert.equal(step.statusCode, 200);
    assert.match(step.body, /autocomplete="new-password"/);
    assert.equal(await findUserByEmail(db, email), null, 'nothing has happened yet');

    const proved = hiddenField(step.body, 'flow');
    const faulty = await send(service, '/sign-up/finish', { flow: proved, display_name: '\u200b', password: 'short' });
    assert.equal(faulty.statusCode, 422);
    assert.match(faulty.body, /id="display_name-error"/);
    assert.match(faulty.body, /id="password-error"/);
    assert.doesNotMatch(faulty.body, /value="short"/);

    const done = await send(service, '/sign-up/finish', { flow: proved, ...ACCOUNT });
    assert.deepEqual([done.statusCode, done.headers.location], [303, RETURN]);
    const user = (await findUserByEmail(db, email.toLowerCase()))!;
    assert.deepEqual(
      [user.kind, user.displayName, user.email, user.emailVerified, user.guestOf],
      ['full', 'Ada Lovelace', email, true, null],
    );
    assert.ok(await lookUpAccountOfUser(db, user.id));
    const session = await findSession(db, done.cookies[0]!.value, 60);
    assert.equal(session?.userId, user.id);
    const known = { email, password: ACCOUNT.password, client: 'here', former: undefined, knownBrowsers: [] };
    assert.ok(await signIn(service.service, known));
  });

  await t.test(
    'an address with an international domain is one mailbox, and a code may have digits of any script',
    async () => {
      const name = newEmail().split('@')[0]!;
      const { statusCode, body } = await send(service, '/sign-up', {
        email: `${name}@Bücher。example`,
        return_to: RETURN,
      });
      assert.equal(statusCode, 200);
      assert.match(body, new RegExp(`<bdi dir="ltr">${name}@bücher.example</bdi>`));
      const stored = `${name}@xn--bcher-kva.example`;
      const code = codeIn(await mailAtOnce(service, stored, 1));
      const arabic = code.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
      const step = await send(service, '/sign-up/code', { flow: hiddenField(body, 'flow'), code: arabic });
      await send(service, '/sign-up/finish', { flow: hiddenField(step.body, 'flow'), ...ACCOUNT });
      assert.equal((await findUserByEmail(db, stored.toUpperCase()))?.email, stored);
      // As browsers send it.
      const again = await send(service, '/sign-up', { email: stored, return_to: RETURN });
      assert.match(again.body, new RegExp(`<bdi dir="ltr">${name}@bücher.example</bdi>`));
    },
  );

  await t.test('the last form sent twice creates one account and signs in both times', async () => {
    for (const atOnce of [false, true]) {
      const email = newEmail();
      const form = { flow: await prove(service, email), ...ACCOUNT };
      const finish = () => send(service, '/sign-up/finish', form);
      const answers = atOnce ? await Promise.all([finish(), finish()]) : [await finish(), await finish()];
      assert.deepEqual(
        answers.map(({ statusCode, headers }) => [statusCode, headers.location]),
        [
          [303, RETURN],
          [303, RETURN],
        ],
      );
      const users = await db.query('SELECT FROM users WHERE lower(email) = lower($1)', [email]);
      assert.equal(users.length, 1);
    }
  });

  await t.test('of two sign-ups with one address at once, one succeeds and the other is told', async () => {
    const email = newEmail();
    const flow = await prove(service, email);
    const answers = await Promise.all(
      ['the first password', 'the second password', 'the third password'].map((password) =>
        send(service, '/sign-up/finish', { flow, display_name: 'Ada', password }),
      ),
    );
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 200, 303]);
    for (const { statusCode, body, cookies } of answers) {
      if (statusCode !== 200) continue;
      assert.match(body, /You already have an account/);
      assert.deepEqual(cookies, []);
    }
  });

  await t.test('an address that has an account is reported only after the code', async () => {
    const person = await createPerson(service);
    const unknown = newEmail();
    const [taken, free] = [
      await send(service, '/sign-up', { email: person.email.toUpperCase() }),
      await send(service, '/sign-up', { email: unknown }),
    ];
    const bare = (body: string, email: string) => body.replaceAll(email, '').replace(/name="flow" value="[^"]*"/g, '');
    assert.equal(bare(taken.body, person.email.toUpperCase()), bare(free.body, unknown));
    const flow = hiddenField(taken.body, 'flow');
    const wrong = await send(service, '/sign-up/code', { flow, code: '000000x' });
    assert.doesNotMatch(wrong.body, /account already/);

    const code = codeIn(await mailAtOnce(service, person.email.toUpperCase()));
    const told = await send(service, '/sign-up/code', { flow, code });
    assert.match(told.body, /You already have an account/);
    assert.match(told.body, /href="\/sign-in\?return_to=%2Faccount"/);
  });

  await t.test('a sign-up code allows five tries and works once', async () => {
    const { flow, code } = await ask(service, newEmail());
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => send(service, '/sign-up/code', { flow, code: wrong })),
    );
    for (const { statusCode, body } of tries) {
      assert.equal(statusCode, 422);
      assert.match(body, /Wrong or expired code/);
    }
    assert.equal((await send(service, '/sign-up/code', { flow, code })).statusCode, 422, 'too late');

    const second = await ask(service, newEmail());
    const twice = await Promise.all([1, 2].map(() => send(service, '/sign-up/code', second)));
    assert.deepEqual(twice.map(({ statusCode }) => statusCode).sort(), [200, 422]);
  });

  await t.test('an expired code, another page’s code and a code for another purpose are refused', async () => {
    const email = newEmail();
    const { flow, code } = await ask(service, email);
    const other = await ask(service, newEmail());
    assert.equal(
      (await send(service, '/sign-up/code', { flow, code: other.code === code ? 'x' : other.code })).statusCode,
      422,
    );
    await changeEmailCodes(db, { email }, { purpose: 'reset' });
    assert.equal((await send(service, '/sign-up/code', { flow, code })).statusCode, 422);
    await changeEmailCodes(db, { email }, { purpose: 'sign-up', expiresAt: ago() });
    assert.equal((await send(service, '/sign-up/code', { flow, code })).statusCode, 422);
    const again = await ask(service, email, 2);
    assert.equal((await send(service, '/sign-up/code', again)).statusCode, 200);
  });

  await t.test('a sign-up step without the step before it is refused', async () => {
    const { flow } = await ask(service, newEmail());
    const step = { email: newEmail(), returnTo: '/', inline: false };
    const sealed = (context: string, minutes: number) => sealField(service.service.vault, context, step, minutes);
    const old = sealed('sign-up, e-mail address proved', -1);
    const foreign = sealed('reset: proved', 10);
    for (const field of [flow, '', 'x', `${flow.slice(0, -2)}AA`, old, foreign]) {
      const answer = await send(service, '/sign-up/finish', { flow: field, ...ACCOUNT });
      assert.equal(answer.statusCode, 401, field);
    }
    assert.equal((await send(service, '/sign-up/code', { flow: '', code: '123456' })).statusCode, 401);
    for (const path of ['/sign-up/code', '/sign-up/finish']) {
      assert.equal((await service.app.inject({ url: path })).headers.location, '/sign-up');
    }
  });

  await t.test('a sign-up form from another site or without an origin is refused', async () => {
    const email = newEmail();
    const flow = await prove(service, email);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answers = [
        await send(service, '/sign-up', { email: newEmail() }, headers),
        await send(service, '/sign-up/finish', { flow, ...ACCOUNT }, headers),
      ];
      for (const answer of answers) assert.equal(answer.statusCode, 403);
    }
    const bare = { 'content-type': 'application/x-www-form-urlencoded' };
    const nowhere = { method: 'POST', url: '/sign-up', headers: bare, payload: `email=${email}` } as const;
    assert.equal((await service.app.inject(nowhere)).statusCode, 403);
    assert.equal((await mailsTo(service, email)).length, 1);
  });

  await t.test('malformed e-mail addresses are refused', async () => {
    const odd = [
      '',
      'ada',
      '@b.example',
      'a@',
      'a b@c.example',
      'a@b@c',
      'a@b..c',
      'a,b@c.example',
      'a@b\r\nBcc: x@y.example',
      '"a"@b.example',
      'a@b.example>',
      `${'a'.repeat(65)}@b.example`,
      `a@${'b'.repeat(260)}.example`,
      'a\u0000@b.example',
      'a@b\u202e.example',
    ];
    for (const email of odd) {
      const answer = await send(service, '/sign-up', { email });
      assert.equal(answer.statusCode, 422, email);
      assert.match(answer.body, /id="email-error"/);
    }
    assert.equal((await send(service, '/sign-up', { email: ' müller+games@bücher.example ' })).statusCode, 200);
  });

  await t.test('sign-up mails to one address and from one place are limited', async () => {
    const email = newEmail();
    const stranger = { 'x-forwarded-for': '203.0.113.6' };
    for (let i = 0; i < 5; i++) assert.equal((await send(service, '/sign-up', { email }, stranger)).statusCode, 200);
    const refused = await send(service, '/sign-up', { email: email.toLowerCase() }, stranger);
    assert.equal(refused.statusCode, 429);
    assert.match(refused.body, /Too many attempts/);
    // What the stranger used up is not the owner's.
    assert.equal((await send(service, '/sign-up', { email })).statusCode, 200);

    const from = { 'x-forwarded-for': '203.0.113.7' };
    const answers = await Promise.all(
      Array.from({ length: 35 }, () => send(service, '/sign-up', { email: newEmail() }, from)),
    );
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 30);
  });

  await t.test('sign-up never redirects to another site, and skips signed-in users', async () => {
    for (const returnTo of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const page = await service.app.inject({ url: `/sign-up?${new URLSearchParams({ return_to: returnTo })}` });
      assert.equal(hiddenField(page.body, 'return_to'), '/account');
    }
    const { cookie } = await createPerson(service);
    const known = await service.app.inject({ url: '/sign-up?return_to=/account/apps', headers: { cookie } });
    assert.deepEqual([known.statusCode, known.headers.location], [303, '/account/apps']);
  });

  await t.test('neither codes nor passwords are stored in plain text', async () => {
    const email = newEmail();
    const { code } = await ask(service, email);
    const [row] = await db.query<{ text: string }>(
      'SELECT email_codes::text AS text FROM email_codes WHERE email = $1',
      [email],
    );
    assert.ok(!row!.text.replace(email, '').includes(`,${code},`));
  });
});
