import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, type Client, pkce, redemption, sharedWorld } from '../kit/service/oauth-world.ts';

test('redirect addresses must match exactly, apart from the case of scheme and host', async (t) => {
  const world = await sharedWorld(t);
  const browser = await world.browser(await world.createUser());
  const web = 'https://game.example/callback?a=b';
  const loopback = 'http://127.0.0.1:7777/callback';
  const own = 'com.acme.game://';
  const client = await world.createClient({ redirectUris: [web, loopback, own] });
  const ask = (parameters: Record<string, string>, of: Client = client) =>
    browser.visit(authorizeUrl(world.origin, of, parameters));

  await t.test('registered redirect addresses of any scheme are accepted', async () => {
    // An installed game listens on a free port (RFC 8252, section 7.3).
    for (const redirect_uri of [web, loopback, 'http://127.0.0.1:50123/callback', 'http://127.0.0.1/callback', own]) {
      const answer = await world.authorize(await world.browser(await world.createUser()), client, {
        redirect_uri,
        state: 's',
      });
      assert.ok(answer.get('code'), redirect_uri);
      assert.match(answer.get('code')!, /^[\w-]+$/);
      // Who listens to two providers tells them apart by this (RFC 9207).
      assert.deepEqual([answer.get('iss'), answer.get('state')], [world.origin, 's']);
      assert.equal(answer.get('a'), redirect_uri === web ? 'b' : null);
    }
  });

  await t.test('addresses that only resemble a registered one are refused', async () => {
    const others = [
      'https://evil.example/callback?a=b',
      'https://game.example/callback',
      'https://game.example/callback?a=b&c=d',
      'https://game.example/callback?a=b#x',
      'https://game.example/callback?a=b/',
      'https://game.example/callback/?a=b',
      'https://game.example/callback/../callback?a=b',
      'https://game.example/Callback?a=b',
      'HTTPS://game.example/CALLBACK?a=b',
      'https://GAME.example/callback?A=b',
      'http://game.example:443/callback?a=b',
      'https:game.example/callback?a=b',
      'https:\\\\game.example/callback?a=b',
      'https://game.example:8443/callback?a=b',
      'https://game.example./callback?a=b',
      'https://game.example@evil.example/callback?a=b',
      'https://evil.example@game.example/callback?a=b',
      'https://game.example.evil.example/callback?a=b',
      'https://xgame.example/callback?a=b',
      'https://game.example\\@evil.example/callback?a=b',
      'https://game.example/%63allback?a=b',
      'https://game.example/callback?a=%62',
      ' https://game.example/callback?a=b',
      'https://game.example/callback?a=b\n',
      '//game.example/callback?a=b',
      '/callback',
      'http://game.example/callback?a=b',
      'http://127.0.0.1:7778/callback/',
      'http://127.0.0.1:7778/callback?a=b',
      'http://127.0.0.1:7778@evil.example/callback',
      'http://127.0.0.1:7778\\@evil.example/callback',
      'http://127.0.0.1:77780/callback',
      'http://127.0.0.1.evil.example:7777/callback',
      'http://127.0.0.2:7777/callback',
      'https://127.0.0.1:7777/callback',
      'http://localhost:7777/callback',
      'http://[::1]:7777/callback',
      'com.acme.game:',
      'com.acme.game:///',
      'com.acme.game://x',
      'COM.acme.game:',
      'com.acme.game.evil://',
      'javascript:alert(1)',
      'urn:quarters:no-redirect',
      'x',
    ];
    for (const redirect_uri of others) {
      for (const parameters of [
        { redirect_uri },
        { redirect_uri, prompt: 'none' },
        { redirect_uri, response_type: 'x' },
      ]) {
        const page = await ask(parameters);
        assert.deepEqual([page.status, page.location], [400, undefined], redirect_uri);
        assert.match(page.body, /The game gave a wrong address/);
        assert.doesNotMatch(page.body, /evil|alert/);
      }
    }
  });

  await t.test('scheme, host and port match in any spelling, at both endpoints', async () => {
    const redirectUris = ['https://GAME.example:443/Callback?a=b', 'Com.Acme.Game://Back', 'http://[::1]/back'];
    const secretClient = await world.createClient({ redirectUris });
    const { id } = await world.createApp({ redirectUris, publicClient: true });
    for (const [asked, redeemed, sentTo] of [
      [redirectUris[0]!, redirectUris[0]!, 'https://game.example/Callback?a=b&'],
      ['https://game.example/Callback?a=b', 'HTTPS://game.EXAMPLE/Callback?a=b', 'https://game.example/Callback?a=b&'],
      [redirectUris[1]!, 'COM.acme.game://Back', 'com.acme.game://Back?'],
      ['com.acme.game://Back', redirectUris[1]!, 'com.acme.game://Back?'],
      ['http://[::1]:50123/back', 'http://[::1]:50123/back', 'http://[::1]:50123/back?'],
    ] as const) {
      const { verifier, challenge } = pkce();
      for (const [of, proof] of [
        [secretClient, redemption(secretClient, '')],
        [
          { id, secret: '' },
          { grant_type: 'authorization_code', client_id: id, code_verifier: verifier },
        ],
      ] as const) {
        const player = await world.browser(await world.createUser());
        const page = await player.arrive(
          authorizeUrl(world.origin, of, { redirect_uri: asked, ...(of.secret === '' && challenge) }),
        );
        const { location = '' } = await player.answer(page, 'allow');
        assert.ok(location.startsWith(sentTo), location);
        const code = new URL(location).searchParams.get('code')!;
        for (const redirect_uri of [`${redeemed}x`, 'http://[::1]:50124/back']) {
          assert.equal((await world.token({ ...proof, code, redirect_uri })).status, 400);
        }
        assert.equal((await world.token({ ...proof, code, redirect_uri: redeemed })).status, 200, redeemed);
      }
    }
    const out = new URLSearchParams({ client_id: secretClient.id, post_logout_redirect_uri: 'COM.acme.game://Back' });
    const left = await (await world.browser()).visit(`/oauth/logout?${out}`);
    assert.deepEqual([left.status, left.location], [303, 'com.acme.game://Back']);
    for (const redirect_uri of ['https://game.example/callback?a=b', 'com.acme.game://back']) {
      assert.equal((await ask({ redirect_uri }, secretClient)).status, 400, redirect_uri);
    }
  });

  await t.test('a redirect address sent twice, or left out with several registered, is refused', async () => {
    const twice = await browser.visit(
      `${authorizeUrl(world.origin, client, { redirect_uri: web })}&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
    );
    assert.deepEqual([twice.status, twice.location], [400, undefined]);
    const none = await ask({ redirect_uri: '' });
    assert.deepEqual([none.status, none.location], [400, undefined]);
  });

  await t.test('a left-out redirect address defaults to the only registered one', async () => {
    const one = await world.createClient();
    const answer = await world.authorize(browser, one, { redirect_uri: '' });
    assert.ok(answer.get('code'));
    const without = await world.createClient({ redirectUris: [] });
    for (const redirect_uri of ['', 'urn:quarters:no-redirect', 'https://game.example/']) {
      const page = await ask({ redirect_uri }, without);
      assert.deepEqual([page.status, page.location], [400, undefined]);
    }
  });

  await t.test('unknown and malformed clients get an error page and no redirect', async () => {
    for (const id of ['x', 'A'.repeat(20), '__proto__', 'https://game.example', '\0', '<script>']) {
      const page = await ask({ redirect_uri: web }, { ...client, id: id as Client['id'] });
      assert.deepEqual([page.status, page.location], [400, undefined], id);
      assert.match(page.body, /We don’t know this game/);
      assert.match(page.headers.get('content-security-policy')!, /default-src 'none'; style-src 'self'/);
    }
  });

  await t.test('a NUL character in a parameter causes no server error', async () => {
    const page = await ask({ redirect_uri: `${web}\0` });
    assert.deepEqual([page.status, page.location], [400, undefined]);
    const away = await (await world.browser()).arrive(
      authorizeUrl(world.origin, client, { redirect_uri: web, state: 'a\0b', login_hint: '\0', nonce: '\0' }),
    );
    assert.match(away.location!, /\/sign-in\?/);
    assert.equal((await browser.visit('/oauth/logout?state=%00&client_id=%00')).status, 400);
  });

  await t.test('unsupported requests are refused by redirect to the game', async () => {
    const cases: [Record<string, string>, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'id_token', nonce: 'n' }, 'unsupported_response_type'],
      [{ response_type: 'code token' }, 'unsupported_response_type'],
      [{ response_mode: 'form_post' }, 'unsupported_response_mode'],
      [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
      [{ response_mode: 'web_message' }, 'unsupported_response_mode'],
      [{ request: 'x.y.z' }, 'request_not_supported'],
      [{ request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
      [{ registration: '{}' }, 'registration_not_supported'],
      [{ scope: 'nothing we know' }, 'access_denied'],
      [{ prompt: 'dance' }, 'invalid_request'],
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ max_age: '-1' }, 'invalid_request'],
    ];
    for (const [parameters, error] of cases) {
      const { location } = await ask({ redirect_uri: web, state: 's', ...parameters });
      // Of response types with a token in them the fragment is the place (OAuth 2.0 Multiple Response Types, section 5).
      assert.match(location!, /^https:\/\/game\.example\/callback\?a=b[&#]/, JSON.stringify(parameters));
      const answer = new URL(location!.replace('#', '&')).searchParams;
      assert.deepEqual([answer.get('error'), answer.get('state'), answer.get('iss')], [error, 's', world.origin]);
    }
    const { location } = await ask({ redirect_uri: web, state: 's', response_type: '' });
    const answer = new URL(location!).searchParams;
    const missing = ['invalid_request', "missing required parameter 'response_type'"];
    assert.deepEqual([answer.get('error'), answer.get('error_description')], missing);
  });

  await t.test('existing clients get success=true and the code; with a state, the standard answer', async () => {
    const [back, scheme] = ['https://game.example/back?level=3', 'com.acme.game://'];
    const existing = await world.createClient({ redirectUris: [back, scheme] });
    const userId = await world.createUser();
    const visitor = await world.browser(userId);
    const url = (redirect_uri: string, state = '') =>
      authorizeUrl(world.origin, existing, { inline: 'true', redirect_uri, state });

    const asked = await visitor.arrive(url(back));
    const { location = '' } = await visitor.answer(asked, 'allow');
    const [, code = ''] =
      /^https:\/\/game\.example\/back\?level=3&success=true&code=([\w-]+)&iss=http%3A%2F%2Flocalhost%3A\d+$/.exec(
        location,
      ) ?? [];
    const { body } = await world.token(redemption(existing, code));
    const me = await fetch(`${world.origin}/v1/me`, { headers: { authorization: `Bearer ${body.access_token}` } });
    assert.equal(((await me.json()) as { userId: string }).userId, userId);

    const toScheme = await visitor.arrive(url(scheme));
    assert.match(toScheme.location ?? '', /^com\.acme\.game:\/\/\?success=true&code=[\w-]+&iss=[^&=?]+$/);

    const { searchParams } = new URL((await visitor.arrive(url(back, 'a&b'))).location!);
    assert.deepEqual([...searchParams.keys()].sort(), ['code', 'iss', 'level', 'state']);
    assert.equal(searchParams.get('state'), 'a&b');
  });
});
