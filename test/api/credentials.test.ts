import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '../../src/base/problems.ts';
import { assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** The form of credentials. For their kinds on every route see every-route.test.ts. */
test('the form of a credential', async (t) => {
  const { app, createApp, createGuest, issue, service } = await sharedService(t);
  const game = await createApp({ autoApprove: true });
  const other = await createApp();
  const guest = await createGuest(game);
  const stranger = await createGuest(game);
  await issue(guest.address, 100);
  await issue(game.id, 100);
  const created = await call(app, 'POST /v1/requests', {
    token: guest.accessToken,
    body: { tokens: 1, appId: game.id },
  });
  const { id } = created.json();

  const all = [
    'GET /v1/me',
    `GET /v1/accounts/${guest.address}/balance`,
    'POST /v1/requests',
    `POST /v1/requests/${id}/autoApprove`,
    'POST /v1/new-guest',
    `POST /v1/accounts/${game.address}/transfer`,
    `POST /v1/accounts/${game.address}/transfers`,
    `POST /v1/requests/${id}/cancel`,
    `POST /v1/requests/${id}/refunds`,
    'GET /v1/requests',
    'GET /v1/transfers',
    'GET /v1/transfers/1',
  ];

  const cases: [name: string, authorization: string, ProblemCode][] = [
    ['an empty header', '', 'token-missing'],
    ['no scheme', game.serverKey, 'token-invalid'],
    ['a scheme only', 'Bearer', 'token-invalid'],
    ['another scheme', `Basic ${guest.accessToken}`, 'token-invalid'],
    ['two tokens', `Bearer ${guest.accessToken} x`, 'token-invalid'],
    ['forbidden characters', 'Bearer "x"', 'token-invalid'],
    ['a token in lower case', `Bearer ${guest.accessToken.toLowerCase()}`, 'token-invalid'],
  ];
  for (const [name, authorization, code] of cases) {
    await t.test(`${name} is refused with ${code}`, async () => {
      for (const endpoint of all) {
        // A broken body must not be validated: strangers learn nothing about validation.
        for (const text of endpoint.startsWith('POST') ? [undefined, '{'] : [undefined]) {
          const answer = await call(app, endpoint, { headers: { authorization }, ...(text !== undefined && { text }) });
          assertProblem(answer, 401, code);
          const challenge = {
            'token-missing': 'Bearer realm="quarters"',
            'token-invalid': 'Bearer realm="quarters", error="invalid_token"',
          };
          assert.equal(answer.headers['www-authenticate'], challenge[code as keyof typeof challenge]);
        }
      }
    });
  }

  await t.test('the scheme is accepted in any letter case and with several spaces', async () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER  ']) {
      const headers = { authorization: scheme + guest.accessToken };
      assert.equal((await call(app, 'GET /v1/me', { headers })).statusCode, 200);
    }
  });

  await t.test('a token in the query is ignored', async () => {
    assertProblem(await call(app, `GET /v1/me?access_token=${guest.accessToken}`), 401, 'token-missing');
  });

  await t.test("another player's account is not found", async () => {
    await assertNothingMoves(service, async () => {
      for (const [what, token] of [
        [`GET /v1/accounts/${guest.address}/balance`, stranger.accessToken],
        [`GET /v1/accounts/${guest.address}/rewards`, stranger.accessToken],
        [`GET /v1/accounts/${game.address}/balance`, guest.accessToken],
        [`GET /v1/accounts/${game.address}/rewards`, guest.accessToken],
        [`GET /v1/accounts/${guest.address}/balance`, game.serverKey],
        [`GET /v1/accounts/${game.address}/balance`, other.serverKey],
        [`GET /v1/accounts/0x${'00'.repeat(20)}/balance`, guest.accessToken],
      ] as const) {
        assertProblem(await call(app, what, { token }), 404, 'not-found');
      }
      for (const from of [game.address, guest.address, `0x${'12'.repeat(20)}`]) {
        const body = { amount: 1, user: stranger.userId };
        const answer = await call(app, `POST /v1/accounts/${from}/transfer`, { token: other.serverKey, body });
        assertProblem(answer, 404, 'not-found');
      }
    });
  });

  await t.test('an access token of another app is refused', async () => {
    const elsewhere = await createGuest(other);
    const token = elsewhere.accessToken;
    const answer = await call(app, 'POST /v1/requests', { token, body: { tokens: 1, appId: game.id } });
    assertProblem(answer, 403, 'app-mismatch');
    assertProblem(await call(app, `GET /v1/requests/${id}`, { token }), 404, 'not-found');
    assertProblem(await call(app, `GET /v1/requests/${id}`, { token: other.serverKey }), 404, 'not-found');
    assertProblem(await call(app, `GET /v1/requests/${id}`, { token: stranger.accessToken }), 404, 'not-found');
  });
});
