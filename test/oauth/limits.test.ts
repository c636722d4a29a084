import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionCookieName } from '../../src/web/session-cookie.ts';
import { authorizeUrl, CALLBACK, startWorld } from '../kit/service/oauth-world.ts';
import { changeAttempts, forgetAttempts } from '../rows/passing.ts';

const MOST = 300;

test('what strangers can make us store is limited', async (t) => {
  const world = await startWorld(t, { env: { TRUST_PROXY: '1' } });
  const { service, app, origin } = world;
  const { db } = service;
  const client = await world.createClient({ frameAncestors: ['https://game.example'] });
  const paths = {
    authorization: authorizeUrl(origin, client).slice(origin.length),
    'sign-out': '/oauth/logout',
  };
  const visit = (url: string, from: string, headers = {}) =>
    app.inject({ url, headers: { accept: 'text/html', 'x-forwarded-for': from, ...headers } });
  const records = async () => (await db.query('SELECT FROM oauth_records')).length;

  for (const [what, path] of Object.entries(paths)) {
    await t.test(`${what}: by the place they come from, and for nobody else`, async () => {
      const place = what === 'authorization' ? '203.0.113.1' : '203.0.113.2';
      await forgetAttempts(db);
      assert.equal((await visit(path, place)).statusCode, 303);
      await changeAttempts(db, {}, { count: MOST - 1 });
      const before = await records();
      const answers = await Promise.all([1, 2, 3].map(() => visit(path, place)));
      assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 429, 429]);
      const refused = answers.find(({ statusCode }) => statusCode === 429)!;
      assert.match(refused.body, /<h1>Too many attempts<\/h1>.*15 minutes/);
      assert.ok((await records()) - before <= 2, 'as much as one that was answered');
      assert.equal((await visit(path, '203.0.113.3')).statusCode, 303);

      const browser = await world.browser(await world.createUser());
      const name = sessionCookieName(service.publicUrl);
      const cookie = `${name}=${browser.cookie(name)}`;
      const signedIn = (from: string) => visit(path, from, { cookie });
      assert.notEqual((await signedIn(place)).statusCode, 429);
      await changeAttempts(db, {}, { count: MOST });
      assert.equal((await signedIn('203.0.113.4')).statusCode, 429, 'wherever they are');
    });
  }

  await t.test(
    'more than a hundred parameters are refused before anybody reads them, each in the form of its errors',
    async () => {
      const many = (n: number) => Array.from({ length: n }, () => 'a=b').join('&');
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
      const from = { 'x-forwarded-for': '203.0.113.6' };
      for (const path of ['/oauth/authorize', '/sign-in', '/oauth/logout']) {
        const page = await visit(`${path}?${many(101)}`, '203.0.113.6');
        assert.equal(page.statusCode, 400, path);
        assert.match(page.body, /<h1>/);
      }
      for (const path of ['/oauth/token', '/v1/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
        const send = (payload: string) =>
          app.inject({ method: 'POST', url: path, payload, headers: { ...form, ...from } });
        const said = (await send(many(101))).json();
        assert.deepEqual(
          [said.error, said.error_description],
          ['invalid_request', 'The form has more than 100 parameters.'],
        );
        assert.doesNotMatch((await send(many(100))).json().error_description, /more than 100/, path);
      }
      const jwks = await app.inject({ url: `/oauth/jwks?${many(101)}`, headers: from });
      assert.deepEqual([jwks.statusCode, jwks.json().error], [400, 'invalid_request']);
      const signIn = { method: 'POST', url: '/sign-in', headers: { ...form, ...from, accept: 'text/html' } } as const;
      assert.equal((await app.inject({ ...signIn, payload: many(101) })).statusCode, 400);
      assert.equal((await app.inject({ ...signIn, payload: many(100) })).statusCode, 422);
    },
  );

  await t.test('a parameter longer than 2000 characters is refused, and the game is told', async () => {
    const before = await records();
    for (const name of ['state', 'nonce', 'login_hint', 'something_else']) {
      const url = (length: number) => authorizeUrl(origin, client, { [name]: 'x'.repeat(length) }).slice(origin.length);
      for (const headers of [{}, { 'sec-fetch-dest': 'iframe' }]) {
        const answer = await visit(url(2001), '203.0.113.5', headers);
        assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined], name);
        assert.match(answer.body, /<h1>The link is too long<\/h1>/);
        assert.match(answer.body, /data-result="\{&quot;error&quot;:/);
      }
    }
    assert.equal(await records(), before);
    const longest = { state: 'x'.repeat(2000) };
    assert.equal(
      (await visit(authorizeUrl(origin, client, longest).slice(origin.length), '203.0.113.5')).statusCode,
      303,
    );
  });

  await t.test('an unknown game or a wrong address stores nothing', async () => {
    const before = await records();
    for (const parameters of [{ client_id: 'A'.repeat(20) }, { redirect_uri: `${CALLBACK}/` }]) {
      const url = authorizeUrl(origin, client, parameters as Record<string, string>).slice(origin.length);
      assert.equal((await visit(url, '203.0.113.6')).statusCode, 400);
    }
    const cookie = `${sessionCookieName(service.publicUrl)}=made-up`;
    for (const path of ['', '?client_id=x', '/xyz']) {
      assert.equal((await visit(`/oauth/authorize${path}`, '203.0.113.6', { cookie })).statusCode, 400, path);
    }
    const headers = { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' };
    const confirmed = await app.inject({ method: 'POST', url: '/oauth/logout/confirm', headers, payload: 'xsrf=x' });
    assert.equal(confirmed.statusCode, 400);
    assert.equal(await records(), before);
  });
});
