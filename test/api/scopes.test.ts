import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueKey } from '../../src/features/keys/keys.ts';
import { SCOPES, type Scope } from '../../src/identity/callers.ts';
import { ALL_KEY_SCOPES, type KeyScope } from '../../src/identity/key-scopes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { tokenWith } from '../kit/service/oauth-token.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { addHook } from '../kit/service/webhooks.ts';
import { keyWith } from '../kit/unit/callers.ts';
import { revokeSecret } from '../rows/apps.ts';

test('the scopes of a credential decide what it may do, on every route', async (t) => {
  const tested = await sharedService(t);
  const { app, createApp, createGuest, issue, service } = tested;
  const game = await createApp();
  const guest = await createGuest(game);
  const person = await createPerson(tested, { displayName: 'Ada', email: 'ada@mail.example' });
  await issue(game.id, 100);
  const whole = await tokenWith(service, person.userId, game.id, SCOPES);
  const asked = await call(app, 'POST /v1/requests', { token: whole, body: { tokens: 1, appId: game.id } });
  const { id } = asked.json();
  // The other request is cancelled by one of the calls.
  const waiting = await call(app, 'POST /v1/requests', { token: whole, body: { tokens: 1, appId: game.id } });

  const hook = await addHook(tested, game.id, 'https://game.invalid/hook');

  /** null: any scope. */
  const forUsers: [what: string, body: object | undefined, needs: Scope | null][] = [
    ['GET /v1/me', undefined, null],
    ['GET /v1/accounts', undefined, 'wallet'],
    [`GET /v1/accounts/${person.address}/balance`, undefined, 'wallet'],
    [`GET /v1/accounts/${person.address}/rewards`, undefined, 'wallet'],
    ['POST /v1/requests', { tokens: 1, appId: game.id }, 'requests'],
    ['GET /v1/requests', undefined, 'requests'],
    [`GET /v1/requests/${id}`, undefined, 'requests'],
    ['GET /v1/transfers', undefined, 'requests'],
    [
      `POST /v1/requests/${id}/autoApprove`,
      { clientId: game.id, userId: person.userId, address: person.address },
      'requests',
    ],
  ];
  const forApps: [what: string, body: object | undefined, needs: KeyScope | null][] = [
    ['POST /v1/new-guest', undefined, 'guests'],
    [`POST /v1/guests/${guest.userId}/tokens`, undefined, 'guest-tokens'],
    [`POST /v1/accounts/${game.address}/transfer`, { amount: 1, user: person.userId }, 'pay'],
    [`POST /v1/accounts/${game.address}/transfers`, { transfers: [{ amount: 1, user: person.userId }] }, 'pay'],
    [`POST /v1/requests/${id}/cancel`, undefined, 'pay'],
    [`POST /v1/requests/${id}/refunds`, undefined, 'pay'],
    ['POST /v1/requests', { tokens: 1, appId: game.id, userId: guest.userId }, 'create-requests'],
    [
      `POST /v1/requests/${waiting.json().id}/autoApprove`,
      { clientId: game.id, userId: person.userId, address: person.address },
      'approve-requests',
    ],
    // Games ship keys: a key that only makes guests must not reveal who pays.
    ['GET /v1/requests', undefined, 'pay'],
    ['GET /v1/transfers', undefined, 'pay'],
    ['GET /v1/events', undefined, 'pay'],
    [`GET /v1/accounts/${game.address}/balance`, undefined, null],
    [`GET /v1/requests/${id}`, undefined, null],
    ['GET /v1/webhook-endpoints', undefined, 'webhooks'],
    [`POST /v1/webhook-endpoints/${hook.id}`, {}, 'webhooks'],
    [`POST /v1/webhook-endpoints/${hook.id}/rotate-secret`, undefined, 'webhooks'],
  ];

  for (const scope of SCOPES) {
    await t.test(`a token with ${scope} can do only what the scope allows`, async () => {
      const token = await tokenWith(service, person.userId, game.id, [scope]);
      for (const [what, body, needs] of forUsers) await check(what, token, body, needs, [scope]);
    });
  }
  for (const scopes of [[], ...ALL_KEY_SCOPES.map((scope) => [scope])]) {
    await t.test(`a server key with ${scopes[0] ?? 'no scope'} can do only what the scope allows`, async () => {
      const { id: appId, address } = game;
      const token = await issueKey(service, OPERATOR, appId, keyWith(scopes));
      for (const [what, body, needs] of forApps) await check(what, token, body, needs, scopes);
      await revokeSecret(service.db, appId, token);
      assertProblem(await call(app, `GET /v1/accounts/${address}/balance`, { token }), 401, 'token-invalid');
    });
  }

  async function check(
    what: string,
    token: string,
    body: object | undefined,
    needs: string | null,
    has: readonly string[],
  ): Promise<void> {
    const answer = await call(app, what, { token, ...(body && { body }) });
    if (needs === null || has.includes(needs)) {
      // With its scope a call may still fail later: this app is not enabled for auto approval, and was not paid.
      if (what.endsWith('/autoApprove')) assertProblem(answer, 403, 'auto-approve-not-enabled');
      else if (what.endsWith('/refunds')) assertProblem(answer, 409, 'not-refundable');
      else assert.ok(answer.statusCode < 300, `${what}: ${answer.body}`);
      return;
    }
    assertProblem(answer, 403, 'insufficient-scope');
    assert.equal(
      answer.headers['www-authenticate'],
      `Bearer realm="quarters", error="insufficient_scope", scope="${needs}"`,
    );
    // Refused before the body is read, so any body will do.
    if (what.startsWith('POST')) assertProblem(await call(app, what, { token, text: '{' }), 403, 'insufficient-scope');
  }

  await t.test('a guest may do everything a user may', async () => {
    for (const what of ['GET /v1/me', 'GET /v1/accounts', `GET /v1/accounts/${guest.address}/balance`]) {
      assert.equal((await call(app, what, { token: guest.accessToken })).statusCode, 200);
    }
  });

  await t.test('me shows only what the scopes allow', async () => {
    const known = { id: person.userId, userId: person.userId };
    const cases: [readonly Scope[], object][] = [
      [['openid'], { ...known, displayName: '', email: '', emailVerified: false }],
      [['profile'], { ...known, displayName: 'Ada', email: '', emailVerified: false }],
      [['email'], { ...known, displayName: '', email: 'ada@mail.example', emailVerified: true }],
      [SCOPES, { ...known, displayName: 'Ada', email: 'ada@mail.example', emailVerified: true }],
    ];
    for (const [scopes, expected] of cases) {
      const token = await tokenWith(service, person.userId, game.id, scopes);
      assert.deepEqual((await call(app, 'GET /v1/me', { token })).json(), expected);
    }
  });

  await t.test('a token for one app is refused for another', async () => {
    const other = await createApp();
    const token = await tokenWith(service, person.userId, other.id, SCOPES);
    const body = { tokens: 1, appId: game.id };
    assertProblem(await call(app, 'POST /v1/requests', { token, body }), 403, 'app-mismatch');
    const approval = { clientId: game.id, userId: person.userId, address: person.address };
    const approve = await call(app, `POST /v1/requests/${id}/autoApprove`, { token, body: approval });
    assertProblem(approve, 403, 'app-mismatch');
    assertProblem(await call(app, `GET /v1/requests/${id}`, { token }), 404, 'not-found');
  });
});
