import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { hashPassword, replacePassword, storePassword } from '../../src/identity/passwords.ts';
import { cookieOf, sendForm } from '../kit/service/forms.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';
import { closeUserAlone } from '../rows/users.ts';

test('signing in by password', async (t) => {
  const service = await sharedService(t, behindProxy);
  const person = await personWithPassword(service);
  const opens = async (cookie: string) =>
    (await service.app.inject({ url: '/sign-in', headers: { cookie } })).statusCode === 303;
  const submit = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    sendForm(service, '/sign-in', fields, { ...somewhere(), ...headers });

  await t.test('the right password opens a session and redirects', async () => {
    const answer = await submit({ email: person.email, password: PASSWORD, return_to: '/account/passkeys?a=1' });
    assert.equal(answer.statusCode, 303);
    assert.equal(answer.headers.location, '/account/passkeys?a=1');
    const [cookie] = answer.cookies;
    assert.equal(cookie?.httpOnly, true);
    assert.equal(cookie?.sameSite, 'Lax');
    assert.ok(await opens(cookieOf(answer)));
  });

  await t.test('letter case, surrounding blanks and Unicode form of the address do not matter', async () => {
    const { userId, email } = await createPerson(service);
    await storePassword(service.service.db, userId, await hashPassword('caf\u00e9 caf\u00e9'));
    const answer = await submit({ email: ` ${email.toUpperCase()} `, password: 'cafe\u0301 cafe\u0301' });
    assert.equal(answer.statusCode, 303);
  });

  await t.test(
    'a wrong password, an unknown address and an account without a password get the same answer',
    async () => {
      const bare = await createPerson(service);
      const answers = [];
      for (const email of [person.email, 'nobody@mail.example', bare.email, 'no address', `nul\0@mail.example`]) {
        const answer = await submit({ email, password: 'wrong password' });
        const { date: _, ...headers } = answer.headers;
        const body = answer.body.replace(/(name="email" type="email" value=")[^"]*/, '$1');
        answers.push({ status: answer.statusCode, headers: { ...headers, 'content-length': '' }, body });
      }
      assert.equal(answers[0]?.status, 422);
      assert.match(answers[0]?.body ?? '', /Wrong e-mail or password/);
      assert.equal(answers[0]?.headers['set-cookie'], undefined);
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
    },
  );

  await t.test('a sign-in does the same work for known and unknown addresses', async (t) => {
    const { userId, email: known } = await createPerson(service);
    await storePassword(service.service.db, userId, await hashPassword(PASSWORD));
    const argon2 = t.mock.method(crypto, 'argon2');
    syncBuiltinESMExports();
    try {
      for (const email of [known, 'nobody@mail.example', 'no address']) {
        await submit({ email, password: 'wrong password' });
      }
    } finally {
      argon2.mock.restore();
      syncBuiltinESMExports();
    }
    const costs = argon2.mock.calls.map(({ arguments: [algorithm, { memory, passes, parallelism, tagLength }] }) => ({
      algorithm,
      memory,
      passes,
      parallelism,
      tagLength,
    }));
    const cost = { algorithm: 'argon2id', memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
    assert.deepEqual(costs, [cost, cost, cost]);
  });

  await t.test('a closed account cannot sign in', async () => {
    const gone = await personWithPassword(service);
    await closeUserAlone(service.service.db, gone.userId);
    assert.equal((await submit({ email: gone.email, password: PASSWORD })).statusCode, 422);
    assert.equal(await opens(gone.cookie), false);
  });

  await t.test('each sign-in makes a new session and ends the browser’s former one', async () => {
    const { cookie } = person;
    assert.ok(await opens(cookie));
    const answer = await submit({ email: person.email, password: PASSWORD }, { cookie });
    assert.notEqual(cookieOf(answer), cookie);
    assert.ok(await opens(cookieOf(answer)));
    assert.equal(await opens(cookie), false, 'the cookie before opens nothing');
  });

  await t.test('a planted cookie value does not become a session', async () => {
    const [name] = person.cookie.split('=');
    const planted = `${name}=planted-by-somebody-else`;
    const answer = await submit({ email: person.email, password: PASSWORD }, { cookie: planted });
    assert.notEqual(cookieOf(answer), planted);
    assert.equal(await opens(planted), false);
  });

  await t.test('a sign-in form from another site is refused (login CSRF)', async () => {
    const { app, origin } = service;
    const payload = new URLSearchParams({ email: person.email, password: PASSWORD }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin, 'sec-fetch-site': 'cross-site' },
      { origin, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      const answer = await app.inject({ method: 'POST', url: '/sign-in', headers: { ...type, ...headers }, payload });
      assert.equal(answer.statusCode, 403, JSON.stringify(headers));
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });

  await t.test('return_to never leads to another site', async () => {
    const evil = [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      '/%09/evil.example/..//evil.example',
      '/..//evil.example',
      '/./\\evil.example',
      '@evil.example',
    ];
    for (const returnTo of evil) {
      const answer = await submit({ email: person.email, password: PASSWORD, return_to: returnTo });
      assert.equal(answer.statusCode, 303);
      const { location } = answer.headers;
      assert.equal(new URL(location!, service.origin).origin, service.origin, `${returnTo} led to ${location}`);
      const cookie = cookieOf(answer);
      const signedIn = await service.app.inject({
        url: `/sign-in?${new URLSearchParams({ return_to: returnTo })}`,
        headers: { cookie },
      });
      assert.equal(new URL(signedIn.headers.location!, service.origin).origin, service.origin);
    }
  });

  await t.test('an address longer than any of ours is no page to return to, and is not repeated', async () => {
    const wrong = { email: person.email, password: 'wrong', return_to: `/account?${'a'.repeat(4_000)}` };
    const { body } = await submit(wrong);
    assert.match(body, /name="return_to" value="\/account"/);
    assert.doesNotMatch(body, /aaaa/);
  });

  await t.test('a signed-in user is redirected at once, unless asked to confirm', async () => {
    const somebody = await personWithPassword(service);
    const { cookie } = somebody;
    const at = (query: string) => service.app.inject({ url: `/sign-in?${query}`, headers: { cookie } });
    assert.equal((await at('return_to=/account')).headers.location, '/account');
    const page = await at('again=true&return_to=/account/passkeys');
    assert.equal(page.statusCode, 200);
    assert.match(page.body, new RegExp(`value="${somebody.email}"[^>]* readonly`));

    const fields = { again: 'true', return_to: '/account/passkeys', password: PASSWORD };
    const other = await submit({ ...fields, email: person.email, password: 'of another' }, { cookie });
    assert.equal(other.statusCode, 422, 'the address in the form counts for nothing');
    const answer = await submit({ ...fields, email: 'of@another.example' }, { cookie });
    assert.equal(answer.headers.location, '/account/passkeys');
  });

  await t.test('a player who comes from a game sees its name and may be redirected to it', async () => {
    const { id } = await service.createApp({ name: 'Moon <i>Race', redirectUris: ['https://moon.example/back'] });
    const query = new URLSearchParams({ response_type: 'code', client_id: id });
    const begun = await service.app.inject({ url: `/oauth/authorize?${query}` });
    const cookie = cookieOf(begun);
    const asked = await service.app.inject({ url: begun.headers.location!, headers: { cookie } });
    for (const url of [asked.headers.location!, asked.headers.location!.replace('/sign-in', '/forgot')]) {
      const page = await service.app.inject({ url, headers: { cookie } });
      assert.equal(page.statusCode, 200);
      assert.ok(page.body.includes(`name="return_to" value="${begun.headers.location}"`));
    }
    const page = await service.app.inject({ url: asked.headers.location!, headers: { cookie } });
    assert.match(page.body, /“Moon &lt;i&gt;Race”/);
    assert.match(String(page.headers['content-security-policy']), /form-action 'self' https:;/);
    const plain = await service.app.inject({ url: '/sign-in' });
    assert.match(String(plain.headers['content-security-policy']), /form-action 'self';/);
    assert.match(String(plain.headers['content-security-policy']), /frame-ancestors 'none'/);
  });

  await t.test('request parameters are shown as text, not markup', async () => {
    const { body } = await submit({ email: '"><script>alert(1)</script>', password: 'x', return_to: '/a"><script>' });
    assert.doesNotMatch(body, /<script>/);
  });
});

test('a password is replaced only if it is still the one that was read', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const { userId, email } = await createPerson(service);
  const first = await Promise.all(['a', 'b', 'c'].map((hash) => replacePassword(db, userId, null, hash, email)));
  assert.equal(first.filter(Boolean).length, 1, 'of three at once, where there was none');
});
