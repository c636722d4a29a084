import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endKey, insertKey, listKeys } from '../../src/identity/app-keys.ts';
import { CALLBACK, type Client, pkce, redemption, refreshing, sharedWorld } from '../kit/service/oauth-world.ts';

const PATHS = ['/oauth/token', '/v1/oauth/token'];

test('the token endpoint', async (t) => {
  const world = await sharedWorld(t);
  const { db } = world.service;
  const client = await world.createClient();
  const other = await world.createClient();
  const userId = await world.createUser();
  const browser = await world.browser(userId);
  const newCode = async (parameters: Record<string, string> = {}, of: Client = client) =>
    (await world.authorize(browser, of, parameters)).get('code')!;

  for (const path of PATHS) {
    for (const json of [false, true]) {
      await t.test(`${path} takes ${json ? 'JSON' : 'a form'}`, async () => {
        const how = { path, json };
        const first = await world.token(redemption(client, await newCode()), how);
        assert.equal(first.status, 200, JSON.stringify(first.body));
        assert.deepEqual(Object.keys(first.body).sort(), [
          'access_token',
          'expires_in',
          'id_token',
          'refresh_token',
          'scope',
          'token_type',
        ]);
        assert.equal(first.headers.get('cache-control'), 'no-store');
        const second = await world.token(refreshing(client, first.body.refresh_token!), how);
        assert.equal(second.status, 200);
        const me = await fetch(`${world.origin}/v1/me`, {
          headers: { authorization: `Bearer ${second.body.access_token}` },
        });
        assert.equal(((await me.json()) as { userId: string }).userId, userId);
      });
    }
  }

  await t.test('JSON bodies with any case of content type, non-string values and nulls are accepted', async () => {
    const body = { ...redemption(client, await newCode()), redirect_uri: null, extra: 1, more: true };
    const answer = await world.token(body, {
      json: true,
      headers: { 'content-type': 'Application/JSON;charset=UTF-8' },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });

  await t.test('unreadable bodies are refused with an OAuth error', async () => {
    const form = new URLSearchParams(redemption(client, 'x')).toString();
    const cases: [string, string][] = [
      ['application/json', '{'],
      ['application/json', ''],
      ['application/json', '[]'],
      ['application/json', '"x"'],
      ['application/json', 'null'],
      ['application/json', '{"code":{"a":1}}'],
      ['application/json', '{"code":["a"]}'],
      ['application/json', JSON.stringify({ code: 'x'.repeat(17_000) })],
      ['text/plain', form],
      ['application/xml', '<a/>'],
      ['application/x-www-form-urlencoded', `code=${'x'.repeat(60_000)}`],
      ['application/x-www-form-urlencoded', `${form}&code=y`],
      ['application/x-www-form-urlencoded', ''],
    ];
    for (const path of PATHS) {
      for (const [type, body] of cases) {
        const answer = await fetch(world.origin + path, { method: 'POST', headers: { 'content-type': type }, body });
        const { error, error_description } = (await answer.json()) as Record<string, string>;
        assert.deepEqual([answer.status, error], [400, 'invalid_request'], `${type} ${body.slice(0, 30)}`);
        assert.ok(error_description);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
    }
  });

  await t.test('both active client secrets work, in header and body, and no other', async () => {
    const second = await db.transaction(async (tx) => {
      const [given] = await listKeys(tx, client.id, { living: true });
      assert.ok(given);
      await endKey(
        tx,
        client.id,
        (await listKeys(tx, client.id, { living: true })).find(
          (key) => key.kind === 'client' && !client.secret.endsWith(key.ending),
        )!.id,
      );
      return insertKey(tx, client.id, { kind: 'client' });
    });
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
    });
    for (const secret of [client.secret, second]) {
      assert.equal((await world.token(redemption({ ...client, secret }, await newCode()))).status, 200);
      const { client_secret: _, client_id: __, ...rest } = redemption(client, await newCode());
      assert.equal((await world.token(rest, { headers: basic(client.id, secret) })).status, 200);
    }

    await db.transaction(async (tx) => {
      const key = (await listKeys(tx, client.id, { living: true })).find(({ ending }) => second.endsWith(ending))!;
      assert.ok(await endKey(tx, client.id, key.id));
    });
    const code = await newCode();
    const [serverKey] = [(await world.createApp()).serverKey];
    const wrong = [second, other.secret, serverKey, `${client.secret}x`, client.secret.toLowerCase(), 'x'];
    for (const secret of wrong) {
      const { status, body } = await world.token(redemption({ ...client, secret }, code));
      assert.deepEqual([status, body.error], [401, 'invalid_client'], secret);
      const inHeader = await world.token(
        { grant_type: 'authorization_code', code },
        { headers: basic(client.id, secret) },
      );
      assert.equal(inHeader.status, 401);
      assert.match(inHeader.headers.get('www-authenticate')!, /^Basic /);
    }
    const { client_secret: _, ...none } = redemption(client, code);
    assert.deepEqual((await world.token(none)).body.error, 'invalid_client');
    // All these tries have spent nothing.
    assert.equal((await world.token(redemption(client, code))).status, 200);
  });

  await t.test('an authenticated client may omit the redirect address, and a wrong one is refused', async () => {
    const redirectUris = [CALLBACK, 'https://game.example/other', 'com.acme.game://'];
    const many = await world.createClient({ redirectUris });
    for (const redirect_uri of redirectUris) {
      assert.equal((await world.token(redemption(many, await newCode({ redirect_uri }, many)))).status, 200);
      const code = await newCode({ redirect_uri }, many);
      const wrong = await world.token({ ...redemption(many, code), redirect_uri: 'https://evil.example/' });
      assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant']);
      assert.equal((await world.token({ ...redemption(many, code), redirect_uri })).status, 200);
    }

    const { id } = await world.createApp({ publicClient: true, redirectUris });
    const { verifier, challenge } = pkce();
    for (const redirect_uri of [undefined, CALLBACK]) {
      const code = await newCode(challenge, { id, secret: '' });
      const body = { grant_type: 'authorization_code', client_id: id, code, code_verifier: verifier };
      const wrong = await world.token({ ...body, redirect_uri: 'https://game.example/other' });
      assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant']);
      assert.equal((await world.token({ ...body, code_verifier: pkce().verifier })).body.error, 'invalid_grant');
      assert.equal((await world.token(redirect_uri === undefined ? body : { ...body, redirect_uri })).status, 200);
    }
  });

  await t.test('codes and tokens of another client are refused', async () => {
    const code = await newCode();
    assert.equal((await world.token(redemption(other, code))).body.error, 'invalid_grant');
    const { body } = await world.token(redemption(client, code));
    const theirs = refreshing(client, body.refresh_token!);
    assert.equal((await world.token(refreshing(other, body.refresh_token!))).body.error, 'invalid_grant');
    for (const grant_type of ['password', 'client_credentials', 'implicit']) {
      assert.equal((await world.token({ ...theirs, grant_type })).body.error, 'unsupported_grant_type');
    }

    const post = (path: string, as: Client, token: string) =>
      world.token({ client_id: as.id, client_secret: as.secret, token }, { path });
    assert.deepEqual((await post('/oauth/introspect', other, body.access_token!)).body, { active: false });
    const revoking = await fetch(`${world.origin}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: other.id, client_secret: other.secret, token: body.refresh_token! }),
    });
    assert.equal(revoking.status, 400);
    assert.equal((await post('/oauth/introspect', client, body.access_token!)).body.active, true);
  });

  await t.test('the token endpoint allows any origin, without cookies', async () => {
    const headers = { origin: 'https://game.example' };
    const preflight = {
      ...headers,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    };
    for (const path of [...PATHS, '/oauth/revoke', '/oauth/userinfo']) {
      const answer = await fetch(world.origin + path, { method: 'OPTIONS', headers: preflight });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get('access-control-allow-origin'), headers.origin);
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
      assert.match(answer.headers.get('access-control-allow-headers')!, /authorization,content-type,idempotency-key/);
    }
    const answer = await world.token(redemption(client, await newCode()), { headers });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, headers.origin]);
    for (const path of ['/oauth/jwks', '/.well-known/openid-configuration']) {
      const open = await fetch(world.origin + path, { headers });
      assert.deepEqual([open.status, open.headers.get('access-control-allow-origin')], [200, headers.origin]);
    }
    const secret = { client_id: client.id, client_secret: client.secret, token: answer.body.access_token! };
    const inPage = await world.token(secret, { path: '/oauth/introspect', headers });
    assert.deepEqual([inPage.status, inPage.headers.get('access-control-allow-origin')], [400, null]);
  });

  await t.test('other methods and endpoints are refused', async () => {
    for (const path of PATHS) {
      const answer = await fetch(world.origin + path);
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST, OPTIONS']);
    }
    const posted = await fetch(`${world.origin}/oauth/authorize`, { method: 'POST', body: new URLSearchParams() });
    assert.equal(posted.status, 405);
    for (const path of ['/oauth/par', '/oauth/register', '/request', '/reg', '/device', '/interaction/x', '/auth']) {
      assert.equal((await fetch(world.origin + path)).status, 404, path);
    }
  });
});
