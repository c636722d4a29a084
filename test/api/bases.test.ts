import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../kit/service/service.ts';

const PAGES = 'pages.example';
const API = 'api.example';
const DEV = 'dev-api.example';

test('the API, guest creation, sign-up and approval can have their own addresses', async (t) => {
  const { app, service, createApp, origin } = await startTestService(t, {
    publicUrl: `https://${PAGES}`,
    env: {
      API_URL: `https://${API}`,
      DEV_API_URL: `https://${DEV}`,
      SIGNUP_PATH: '/join',
      APPROVAL_PATH: '/pay',
    },
  });
  const game = await createApp({ redirectUris: ['https://game.example/done'] });
  const ask = async (host: string, method: 'GET' | 'POST', url: string, headers = {}, payload?: string) =>
    app.inject({ method, url, headers: { host, ...headers }, ...(payload !== undefined && { payload }) });
  const asGame = { authorization: `Bearer ${game.serverKey}` };

  const made = await ask(DEV, 'POST', '/v1/new-guest', asGame);
  assert.equal(made.statusCode, 201);
  const [guest] = made.json();
  const asGuest = { authorization: `Bearer ${guest.access_token}`, 'content-type': 'application/json' };
  const asked = await ask(API, 'POST', '/v1/requests', asGuest, JSON.stringify({ tokens: 5, appId: game.id }));
  assert.equal(asked.statusCode, 201);
  const { id } = asked.json();

  await t.test('every host serves the description of the API', async () => {
    for (const host of [PAGES, API, DEV]) assert.equal((await ask(host, 'GET', '/openapi.json')).statusCode, 200);
  });

  await t.test('a guest pays and signs up at the separate addresses', async () => {
    const page = await ask(PAGES, 'GET', `/pay/requests/${id}?inline=true&firebase_token=${guest.firebase_token}`);
    assert.equal(page.statusCode, 200);
    assert.ok(page.body.includes(`action="/pay/requests/${id}/decision"`));
    const [, token] = /name="page_token" value="([^"]+)"/.exec(page.body) ?? [];
    const declined = await ask(
      PAGES,
      'POST',
      `/pay/requests/${id}/decision`,
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams({ page_token: token!, decision: 'decline' }).toString(),
    );
    assert.equal(declined.headers.location, `https://game.example/done?cancel=true&requestId=${id}`);

    const query = new URLSearchParams({
      response_type: 'code',
      client_id: game.id,
      token: guest.access_token,
      inline: 'true',
    });
    assert.equal((await ask(PAGES, 'GET', `/join/guest?${query}`)).statusCode, 200);
    assert.equal((await ask(PAGES, 'GET', `/guest?${query}`)).statusCode, 404);
  });

  await t.test('issued tokens and results name the pages, whichever host was asked', async () => {
    const discovery = await ask('evil.example', 'GET', '/.well-known/openid-configuration', {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
    });
    assert.equal(discovery.json().issuer, `https://${PAGES}`);
    assert.equal(discovery.json().authorization_endpoint, `https://${PAGES}/oauth/authorize`);
    assert.equal(discovery.json().token_endpoint, `https://${PAGES}/oauth/token`);
  });

  const token = { 'content-type': 'application/json' };
  for (const [host, method, url, status] of [
    [API, 'GET', '/v1/me', 401],
    [API, 'POST', '/v1/oauth/token', 400],
    [API, 'POST', '/v1/new-guest', 404],
    [API, 'GET', '/sign-in', 404],
    [API, 'GET', '/.well-known/openid-configuration', 404],
    [DEV, 'GET', '/v1/me', 404],
    [DEV, 'GET', '/sign-in', 404],
    [PAGES, 'GET', '/v1/me', 404],
    [PAGES, 'POST', '/v1/new-guest', 404],
    [PAGES, 'POST', '/oauth/token', 400],
    [PAGES, 'GET', '/sign-in', 200],
    [API, 'GET', '/readyz', 200],
    [DEV, 'GET', '/readyz', 200],
    [new URL(origin).host, 'GET', '/v1/me', 401],
  ] as const) {
    await t.test(`${method} ${url} at ${host}: ${status}`, async () => {
      const answer = await ask(host, method, url, method === 'POST' ? token : {}, method === 'POST' ? '{}' : undefined);
      assert.equal(answer.statusCode, status);
    });
  }
  assert.equal(service.publicUrl, `https://${PAGES}`);
});
