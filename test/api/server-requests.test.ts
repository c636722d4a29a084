import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { withdrawAccess } from '../../src/features/accounts/connected-games.ts';
import { convertGuest } from '../../src/features/guests/convert-guest.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import type { NewKey } from '../../src/identity/app-keys.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { ALL_KEY_SCOPES, USUAL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { findUser } from '../../src/identity/users.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { tokenWith } from '../kit/service/oauth-token.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { keyWith } from '../kit/unit/callers.ts';
import { letDayPass, revokeSecret } from '../rows/apps.ts';
import { letRequestExpire, letRequestsOfUserExpire } from '../rows/requests.ts';
import { readTransitions } from '../rows/transitions.ts';

const MAX_PENDING = 5;

type NewServerKey = Extract<NewKey, { readonly kind: 'server' }>;

test('a game’s server creates and approves requests', async (t) => {
  const s = await sharedService(t);
  const { app, service } = s;
  const { db } = service;
  const game = await s.createApp({ autoApprove: true });
  const other = await s.createApp({ autoApprove: true });
  const key = await issueKey(service, OPERATOR, game.id, keyWith(ALL_KEY_SCOPES));
  const otherKey = await issueKey(service, OPERATOR, other.id, keyWith(ALL_KEY_SCOPES));
  const guest = await s.createGuest(game);

  const ask = (userId: unknown, body: object = {}, token = key) =>
    call(app, 'POST /v1/requests', { token, body: { tokens: 10, appId: game.id, userId, ...body } });
  const counted = async (secret: string) => {
    const [row] = await db.query<{ asked_today: bigint; approved_today: bigint }>(
      'SELECT asked_today, approved_today FROM app_keys WHERE hash = $1',
      [hashSecret(secret)],
    );
    return [Number(row!.asked_today), Number(row!.approved_today)];
  };
  const statusOf = async (id: string) => (await call(app, `GET /v1/requests/${id}`, { token: key })).json().status;
  const expireAll = () => letRequestsOfUserExpire(db, guest.userId);

  await t.test('a server asks a guest of the app as the guest’s own token would', async () => {
    const answer = await ask(guest.userId, { description: 'a sword' });
    assert.equal(answer.statusCode, 201, answer.body);
    const created = answer.json();
    assert.equal(answer.headers.location, `/v1/requests/${created.id}`);
    assert.deepEqual([created.userId, created.tokens, created.description], [guest.userId, 10, 'a sword']);
    const own = await call(app, `GET /v1/requests/${created.id}`, { token: guest.accessToken });
    assert.equal(own.json().status, 'pending');
    const listed = await call(app, 'GET /v1/requests', { token: key });
    assert.equal(listed.json().data[0].id, created.id);
    const recorded = (await readTransitions(db, created.id)).map(({ event, actor }) => ({ event, actor }));
    assert.deepEqual(recorded, [{ event: 'create', actor: `app:${game.id}` }]);
    const cancelled = await call(app, `POST /v1/requests/${created.id}/cancel`, { token: key });
    assert.equal(cancelled.json().status, 'cancelled');
  });

  await t.test('a full user can be asked only while the app has the scope requests', async () => {
    const person = await createPerson(s);
    const { userId } = person;
    assertProblem(await ask(userId), 404, 'not-found');
    await grantConsent(db, { userId, appId: game.id, scopes: ['openid', 'wallet'] });
    await grantConsent(db, { userId, appId: other.id, scopes: ['requests'] });
    assertProblem(await ask(userId), 404, 'not-found');
    await grantConsent(db, { userId, appId: game.id, scopes: ['requests'] });
    assert.equal((await ask(userId)).statusCode, 201);
    await withdrawAccess(service, userId, game.id);
    assertProblem(await ask(userId), 404, 'not-found');
    await grantConsent(db, { userId, appId: game.id, scopes: ['requests'] });
    assert.ok(await closeAccount(service, (await findUser(db, userId))!, person.session));
    assertProblem(await ask(userId), 404, 'not-found');
  });

  await t.test('a guest who has become a full user can be asked until they withdraw', async () => {
    const { userId, accessToken } = await s.createGuest(game);
    const converted = await convertGuest(service, {
      appId: game.id,
      userId,
      tokenHash: hashSecret(accessToken),
      email: `${randomUUID()}@mail.example`,
      displayName: 'Ada',
      password: 'a long enough password',
      flowId: randomUUID(),
      redirectUri: null,
      codeChallenge: undefined,
      signIn: null,
      client: 'here',
    });
    assert.equal(converted.kind, 'converted');
    assert.equal((await ask(userId)).statusCode, 201);
    await withdrawAccess(service, userId, game.id);
    assertProblem(await ask(userId), 404, 'not-found');
  });

  await t.test('nobody else can be asked, and the refusal does not reveal who exists', async () => {
    const strangers = [await s.createGuest(other), await createPerson(s), { userId: 'a'.repeat(28) }];
    const details = new Set<string>();
    await assertNothingMoves(service, async () => {
      const before = await counted(key);
      for (const { userId } of strangers) {
        details.add(assertProblem(await ask(userId), 404, 'not-found').detail);
      }
      assertInvalid(await ask(undefined), '/userId');
      for (const userId of [null, 5, '', 'x', `${guest.userId} `]) assertInvalid(await ask(userId), '/userId');
      assertProblem(await ask(guest.userId, { appId: other.id }), 403, 'app-mismatch');
      assertProblem(await ask(guest.userId, {}, otherKey), 403, 'app-mismatch');
      assertProblem(await ask(guest.userId, { appId: other.id }, otherKey), 404, 'not-found');
      assertProblem(await ask(guest.userId, {}, game.serverKey), 403, 'insufficient-scope');
      assert.deepEqual(await counted(key), before, 'what was refused does not count');
    });
    assert.equal(details.size, 1);
  });

  await t.test('with a user’s token, userId is the token’s user or left out', async () => {
    const token = guest.accessToken;
    assert.equal((await ask(guest.userId, {}, token)).statusCode, 201);
    for (const none of [undefined, null, '']) assert.equal((await ask(none, {}, token)).statusCode, 201);
    const another = await s.createGuest(game);
    await assertNothingMoves(service, async () => {
      assertInvalid(await ask(another.userId, {}, token), '/userId');
    });
    await expireAll();
  });

  await t.test('a null description counts as none', async () => {
    const answer = await ask(guest.userId, { description: null });
    assert.deepEqual([answer.statusCode, answer.json().description], [201, '']);
    assertInvalid(await ask(guest.userId, { description: 5 }), '/description');
    assertInvalid(await ask(guest.userId, { description: 'x'.repeat(281) }), '/description');
  });

  await t.test('expiresIn sets how long a request waits, up to a day', async () => {
    const lifeOf = async (body: object) => {
      const { id } = (await ask(guest.userId, body)).json();
      const [row] = await db.query<{ seconds: number }>(
        'SELECT round(extract(epoch FROM expires_at - created_at))::integer AS seconds FROM requests WHERE id = $1',
        [id],
      );
      return row?.seconds;
    };
    for (const none of [undefined, 0, null, '']) assert.equal(await lifeOf({ expiresIn: none }), 900);
    assert.equal(await lifeOf({ expiresIn: 60 }), 60);
    assert.equal(await lifeOf({ expiresIn: 86_400 }), 86_400);
    for (const expiresIn of [59, 86_401, -60, 60.5, 1e21, '60', true, {}]) {
      assertInvalid(await ask(guest.userId, { expiresIn }), '/expiresIn');
    }
    await expireAll();
  });

  await t.test(
    'pending requests of an app per user are limited; deciding, cancelling and expiry make room',
    async (t) => {
      t.mock.property(service, 'settings', { ...service.settings, maxPendingRequests: MAX_PENDING });
      await expireAll();
      const ids: string[] = [];
      for (let n = 0; n < MAX_PENDING; n++) ids.push((await ask(guest.userId)).json().id);
      const before = await counted(key);
      for (const token of [key, guest.accessToken]) {
        const refused = assertProblem(await ask(guest.userId, {}, token), 409, 'limit-reached');
        assert.match(refused.detail, /At most 5 requests/);
      }
      assert.deepEqual(await counted(key), before);
      // Another user of the app, and the same user in another app, are not affected.
      assert.equal((await ask((await s.createGuest(game)).userId)).statusCode, 201);
      await letRequestExpire(db, ids[0]!);
      assert.equal((await ask(guest.userId)).statusCode, 201);
      assertProblem(await ask(guest.userId), 409, 'limit-reached');
      assert.equal((await call(app, `POST /v1/requests/${ids[1]}/cancel`, { token: key })).statusCode, 200);
      assert.equal((await ask(guest.userId)).statusCode, 201);
      assertProblem(await ask(guest.userId), 409, 'limit-reached');
      await expireAll();
    },
  );

  await t.test('the daily limit of a key for requests is reset the next day', async () => {
    await revokeSecret(db, game.id, game.serverKey);
    const capped = await capKey({ scopes: ['create-requests'], askPerDay: asQuarters(25) });
    assert.equal((await ask(guest.userId, {}, capped)).statusCode, 201);
    const repeated = { token: capped, body: { tokens: 10, appId: game.id, userId: guest.userId } };
    for (const replayed of [undefined, 'true', 'true']) {
      const answer = await call(app, 'POST /v1/requests', { ...repeated, headers: { 'idempotency-key': 'once' } });
      assert.deepEqual([answer.statusCode, answer.headers['idempotent-replayed']], [201, replayed]);
    }
    assert.deepEqual(await counted(capped), [20, 0], 'a repeated call counts once');
    const refused = assertProblem(await ask(guest.userId, { tokens: 6 }, capped), 403, 'key-limit');
    assert.equal(refused.detail, 'This server API key may ask for 25 quarters a day (UTC).');
    assert.equal((await ask(guest.userId, { tokens: 5 }, capped)).statusCode, 201);
    await letDayPass(db, game.id);
    assert.equal((await ask(guest.userId, { tokens: 25 }, capped)).statusCode, 201);
    assert.deepEqual(await counted(capped), [25, 0]);
    await revokeSecret(db, game.id, capped);
    await expireAll();
  });

  await t.test('a key approves only under mandates, within both limits', async () => {
    const capped = await capKey({ scopes: ['approve-requests'], approvePerDay: asQuarters(50) });
    const player = await s.createGuest(game);
    await s.issue(player.userId, 200);
    const request = async (tokens: number) => (await ask(player.userId, { tokens })).json().id as string;
    const approve = (id: string, changes: object = {}, token = capped) =>
      call(app, `POST /v1/requests/${id}/autoApprove`, {
        token,
        body: { clientId: game.id, userId: player.userId, address: player.address, ...changes },
      });
    const [first, second] = [await request(30), await request(30)];
    await assertNothingMoves(service, async () => {
      assertProblem(await approve(first), 403, 'auto-approve-not-granted');
    });
    const limits = { maxPerTransfer: asQuarters(60), maxPerDay: asQuarters(1000), days: 1 };
    await grantMandate(db, { userId: player.userId, appId: game.id, ...limits });
    await assertNothingMoves(service, async () => {
      assertInvalid(await approve(first, { userId: guest.userId }), '/userId');
      assertInvalid(await approve(first, { address: guest.address }), '/address');
      assertProblem(await approve(first, { clientId: other.id }), 403, 'app-mismatch');
      assertProblem(await approve(first, {}, otherKey), 403, 'app-mismatch');
      assertProblem(await approve(first, { clientId: other.id }, otherKey), 404, 'not-found');
    });
    assertInvalid(await approve(first, { address: undefined }, player.accessToken), '/address');
    const approved = await approve(first, { address: undefined });
    assert.equal(approved.statusCode, 200, approved.body);
    assert.deepEqual((await approve(first)).json(), approved.json(), 'repeating it gives the same outcome');
    assert.deepEqual(await counted(capped), [0, 30], 'a repeated approval does not count');
    await s.settled();
    await assertNothingMoves(service, async () => {
      const refused = assertProblem(await approve(second), 403, 'key-limit');
      assert.equal(refused.detail, 'This server API key may approve 50 quarters a day (UTC).');
    });
    assert.equal(await statusOf(second), 'pending');
    assert.equal((await approve(second, {}, player.accessToken)).statusCode, 200, 'a user’s token has no such cap');
    assert.deepEqual(await counted(capped), [0, 30]);
    await s.settled();
    const approvals = (await readTransitions(db, first)).filter(({ event }) => event === 'approve');
    assert.deepEqual(
      approvals.map(({ actor }) => actor),
      [`app:${game.id}`],
    );
    const tooMuch = await request(61);
    assertProblem(await approve(tooMuch), 403, 'auto-approve-limit');
    const token = await tokenWith(service, player.userId, game.id, ['requests']);
    assert.equal((await call(app, `GET /v1/requests/${first}`, { token })).json().status, 'completed');
    assert.deepEqual(await counted(capped), [0, 30]);
    await revokeSecret(db, game.id, capped);
    assertProblem(await approve(tooMuch), 401, 'token-invalid');
  });

  function capKey(wanted: Pick<NewServerKey, 'scopes'> & Partial<NewServerKey>): Promise<string> {
    return issueKey(service, OPERATOR, game.id, { kind: 'server', payPerDay: null, ...wanted });
  }
});

test('a key can ask and approve only with these scopes, and with a limit', async (t) => {
  const s = await sharedService(t);
  const game = await s.createApp();
  const { db } = s.service;
  assert.deepEqual(USUAL_KEY_SCOPES, ['guests', 'pay']);
  const [first] = await db.query<{ scopes: string[] }>('SELECT scopes FROM app_keys WHERE hash = $1', [
    hashSecret(game.serverKey),
  ]);
  assert.deepEqual(first!.scopes, ['guests', 'pay']);
  const five = asQuarters(5);
  for (const [scopes, caps, field] of [
    [['create-requests'], {}, 'askPerDay'],
    [['approve-requests'], {}, 'approvePerDay'],
    [['create-requests'], { approvePerDay: five }, 'askPerDay'],
    [['pay'], { askPerDay: five }, 'askPerDay'],
    [['create-requests'], { askPerDay: five, approvePerDay: five }, 'approvePerDay'],
  ] as const) {
    const wanted = { kind: 'server', scopes, payPerDay: null, ...caps } as const;
    await assert.rejects(issueKey(s.service, OPERATOR, game.id, wanted), (error: Problem) => {
      assert.deepEqual([error.code, error.faults[0]?.pointer], ['invalid-input', `/${field}`]);
      return true;
    });
  }
});
