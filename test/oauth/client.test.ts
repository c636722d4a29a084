import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oidc from 'openid-client';
import { CALLBACK, type Client, sharedWorld, type World } from '../kit/service/oauth-world.ts';

/** A client library that is not ours, which checks every answer by the book. */
async function discover(
  { origin }: World,
  { id, secret }: Client,
  auth?: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(origin), id, secret, auth, { execute: [oidc.allowInsecureRequests] });
}

async function signIn(world: World, config: oidc.Configuration, parameters: Record<string, string> = {}) {
  const userId = await world.createUser();
  const browser = await world.browser(userId);
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email wallet requests',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    ...parameters,
  });
  const { location } = await browser.answer(await browser.arrive(url.href), 'allow');
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  const tokens = await oidc.authorizationCodeGrant(config, new URL(location!), checks);
  return { userId, browser, tokens };
}

test('an independent client library, from discovery to sign-out', async (t) => {
  const world = await sharedWorld(t);
  const confidential = await world.createClient();
  const publicClient: Client = {
    id: (await world.createApp({ publicClient: true, redirectUris: [CALLBACK] })).id,
    secret: '',
  };

  for (const [name, auth] of [
    ['a secret in the Authorization header', oidc.ClientSecretBasic()],
    ['a secret in the body', oidc.ClientSecretPost()],
  ] as const) {
    await t.test(`a client with ${name}`, async () => {
      const config = await discover(world, confidential, auth);
      const { userId, tokens } = await signIn(world, config);
      assert.equal(tokens.claims()?.sub, userId);
      assert.equal(tokens.expires_in, 3600);
      assert.match(tokens.access_token, /^qo_/);
      assert.match(tokens.refresh_token!, /^qr_/);

      const info = await oidc.fetchUserInfo(config, tokens.access_token, userId);
      assert.deepEqual(Object.keys(info).sort(), ['email', 'email_verified', 'name', 'sub']);
      assert.deepEqual([info.name, info.email_verified], ['Ada', true]);

      const seen = await oidc.tokenIntrospection(config, tokens.access_token);
      assert.deepEqual([seen.active, seen.sub, seen.client_id], [true, userId, confidential.id]);

      const next = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
      assert.notEqual(next.access_token, tokens.access_token);
      assert.notEqual(next.refresh_token, tokens.refresh_token);
      assert.equal(next.claims()?.sub, userId);
      assert.equal((await oidc.tokenIntrospection(config, next.refresh_token!)).active, true);

      await oidc.tokenRevocation(config, next.refresh_token!);
      for (const token of [next.access_token, next.refresh_token!, tokens.access_token]) {
        assert.deepEqual(await oidc.tokenIntrospection(config, token), { active: false });
      }
      await assert.rejects(oidc.fetchUserInfo(config, next.access_token, userId), {
        code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      });
      await assert.rejects(oidc.refreshTokenGrant(config, next.refresh_token!), { error: 'invalid_grant' });
    });
  }

  await t.test('a public client completes the flow with PKCE', async () => {
    const config = await discover(world, publicClient, oidc.None());
    const { userId, tokens } = await signIn(world, config);
    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
    assert.equal((await oidc.fetchUserInfo(config, next.access_token, userId)).sub, userId);
    // It cannot prove that it is the one a token was issued to.
    assert.deepEqual(await oidc.tokenIntrospection(config, next.access_token), { active: false });
    await oidc.tokenRevocation(config, next.access_token);
    await assert.rejects(oidc.refreshTokenGrant(config, next.refresh_token!), { error: 'invalid_grant' });
  });

  await t.test('scopes decide what userinfo returns, and without openid there is no ID token', async () => {
    const config = await discover(world, confidential);
    const some = await signIn(world, config, { scope: 'openid profile' });
    const info = await oidc.fetchUserInfo(config, some.tokens.access_token, some.userId);
    assert.deepEqual(Object.keys(info).sort(), ['name', 'sub']);

    const plain = await world.tokens(confidential, { scope: 'wallet' });
    assert.equal(plain.scope, 'wallet');
    assert.ok(!('id_token' in plain));
    await assert.rejects(oidc.fetchUserInfo(config, plain.access_token, plain.userId), {
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
    });
  });

  await t.test('the ID token has auth_time if max_age is requested', async () => {
    const config = await discover(world, confidential);
    const { tokens } = await signIn(world, config, { max_age: '600' });
    assert.equal(typeof tokens.claims()?.auth_time, 'number');
  });

  await t.test('a client signs its user out at the end-session endpoint', async () => {
    const config = await discover(world, confidential);
    const { browser, tokens } = await signIn(world, config);
    const url = oidc.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: CALLBACK,
      state: 's',
    });
    const page = await browser.visit(url.href);
    assert.equal(page.status, 200);
    assert.match(page.body, /sign out of Quarters/i);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)![1]!;
    const done = await browser.visit('/oauth/logout/confirm', { xsrf, logout: 'yes' });
    assert.equal(done.location, `${CALLBACK}?state=s`);
    const next = await browser.arrive(oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK }).href);
    assert.match(next.location!, /\/sign-in\?/);
    // The game's tokens are the game's.
    assert.equal((await oidc.tokenIntrospection(config, tokens.access_token)).active, true);
  });
});
