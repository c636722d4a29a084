import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenFields, openBrowser } from '../kit/service/oauth-browser.ts';
import { callApi, newGuest, useTarget } from './target.ts';

test('a guest has an account, rewards and new tokens', async () => {
  const target = await useTarget();
  const guest = await newGuest(target);
  const { body: me } = await callApi(target, 'GET', '/v1/me', { bearer: guest.token });
  assert.equal(me.id, guest.id);
  const { body: accounts } = await callApi(target, 'GET', '/v1/accounts', { bearer: guest.token });
  assert.equal(accounts[0].address, guest.address);
  const rewards = await callApi(target, 'GET', `/v1/accounts/${guest.address}/rewards`, { bearer: guest.token });
  assert.equal(rewards.status, 200);
  const { body: tokens } = await callApi(target, 'POST', `/v1/guests/${guest.id}/tokens`, {
    bearer: target.game.serverKey,
  });
  assert.deepEqual([tokens[0].user_id, tokens[0].address], [guest.id, guest.address]);
  assert.equal((await callApi(target, 'GET', '/v1/me', { bearer: tokens[0].access_token })).status, 200);
  assert.equal((await callApi(target, 'GET', '/v1/keys')).status, 200);
});

test('a player signs in, agrees, and the game gets tokens, refreshes and revokes them', async () => {
  const target = await useTarget();
  const { origin, game, player } = target;
  const discovery = await fetch(`${origin}/.well-known/openid-configuration`);
  const endpoints = (await discovery.json()) as Record<string, string>;
  assert.equal(endpoints.issuer, origin);
  const browser = openBrowser(origin);
  const query = {
    response_type: 'code',
    client_id: game.id,
    redirect_uri: game.redirectUri,
    state: 's',
    scope: 'openid wallet',
  };
  const arrived = await browser.arrive(`${endpoints.authorization_endpoint}?${new URLSearchParams(query)}`);
  // Signing in leads back to what was asked for.
  const signIn = arrived.location ? await browser.visit(arrived.location) : arrived;
  const page = await browser.arrive(`${origin}/sign-in`, { ...hiddenFields(signIn), ...player });
  const sent = page.status === 200 ? await browser.answer(page, 'allow') : page;
  const answer = new URL(sent.location ?? assert.fail(sent.body)).searchParams;
  assert.deepEqual([answer.get('state'), answer.get('iss')], ['s', origin]);

  const client = { client_id: game.id, client_secret: game.clientSecret };
  const post = async (endpoint: string, fields: Record<string, string>) => {
    const response = await fetch(endpoints[endpoint]!, {
      method: 'POST',
      body: new URLSearchParams({ ...client, ...fields }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Record<string, string> };
  };
  const code = { grant_type: 'authorization_code', code: answer.get('code')!, redirect_uri: game.redirectUri };
  const { status, body: tokens } = await post('token_endpoint', code);
  assert.deepEqual([status, tokens.token_type, tokens.scope], [200, 'Bearer', 'openid wallet'], JSON.stringify(tokens));
  const refreshed = await post('token_endpoint', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token! });
  assert.equal(refreshed.status, 200);
  const bearer = refreshed.body.access_token!;
  assert.equal((await callApi(target, 'GET', '/v1/accounts', { bearer })).status, 200);
  const info = await fetch(endpoints.userinfo_endpoint!, { headers: { authorization: `Bearer ${bearer}` } });
  assert.equal(typeof ((await info.json()) as { sub?: string }).sub, 'string');
  assert.equal((await post('revocation_endpoint', { token: refreshed.body.refresh_token! })).status, 200);
  const refused = await post('token_endpoint', {
    grant_type: 'refresh_token',
    refresh_token: refreshed.body.refresh_token!,
  });
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
});
