import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUserId } from '../../src/base/ids.ts';
import { USUAL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { makeGuestFull } from '../../src/identity/users.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { changeAppKeys, letDayPass } from '../rows/apps.ts';
import { closeUserAlone } from '../rows/users.ts';

test('a server gives its guest new tokens', async (t) => {
  const tested = await sharedService(t);
  const { app, createApp, createGuest, service } = tested;
  const game = await createApp();
  const other = await createApp();
  assertProblem(
    await call(app, `POST /v1/guests/${newUserId()}/tokens`, { token: game.serverKey }),
    403,
    'insufficient-scope',
  );
  // A key has this scope only if it was requested.
  await changeAppKeys(service.db, { appId: [game.id, other.id] }, { scopes: [...USUAL_KEY_SCOPES, 'guest-tokens'] });
  const guest = await createGuest(game);
  const give = (userId: string, token = game.serverKey, options = {}) =>
    call(app, `POST /v1/guests/${userId}/tokens`, { token, ...options });
  const me = async (token: string) => (await call(app, 'GET /v1/me', { token })).statusCode;
  const living = async () =>
    service.db.query<{ purpose: string; count: bigint }>(
      'SELECT purpose, count(*) FROM guest_tokens WHERE user_id = $1 AND revoked_at IS NULL GROUP BY purpose ORDER BY purpose',
      [guest.userId],
    );

  await t.test('new tokens have the shape of a new guest, and the old ones keep working', async () => {
    const answer = await give(guest.userId);
    assert.equal(answer.statusCode, 200);
    const [given, ...rest] = answer.json();
    assert.deepEqual(rest, []);
    assert.deepEqual(Object.keys(given), ['user_id', 'access_token', 'firebase_token', 'address']);
    assert.equal(given.user_id, guest.userId);
    assert.equal(given.address.toLowerCase(), guest.address);
    assert.match(given.access_token, /^qa_[A-Za-z0-9]{43}$/);
    assert.notEqual(given.access_token, guest.accessToken);
    assert.notEqual(given.firebase_token, guest.pageToken);
    assert.deepEqual(await Promise.all([me(given.access_token), me(guest.accessToken)]), [200, 200]);

    const { id } = (
      await call(app, 'POST /v1/requests', { token: given.access_token, body: { tokens: 1, appId: game.id } })
    ).json();
    for (const pageToken of [given.firebase_token, guest.pageToken]) {
      const page = await app.inject(`/requests/${id}?inline=true&firebase_token=${pageToken}`);
      assert.equal(page.statusCode, 200);
    }
  });

  await t.test('no body, an empty body and {} are accepted', async () => {
    assert.equal((await give(guest.userId, game.serverKey, { body: {} })).statusCode, 200);
    const headers = { 'content-type': 'application/json' };
    assert.equal((await give(guest.userId, game.serverKey, { text: '', headers })).statusCode, 200);
    assertProblem(await give(guest.userId, game.serverKey, { body: [] }), 400, 'invalid-input');
  });

  await t.test('tokens for anybody but a guest of the app are refused', async () => {
    const person = await createPerson(tested);
    const closed = await createGuest(game);
    await closeUserAlone(service.db, closed.userId);
    const full = await createGuest(game);
    await makeGuestFull(service.db, { userId: full.userId, email: 'full@mail.example', displayName: 'Ada' });
    for (const userId of [person.userId, closed.userId, full.userId, newUserId(), 'x', '%00', 'a'.repeat(3000)]) {
      assertProblem(await give(userId), 404, 'not-found');
    }
    assertProblem(await give(guest.userId, other.serverKey), 404, 'not-found');
    assertProblem(await give(guest.userId, guest.accessToken), 403, 'credential-not-allowed');
    assertProblem(await call(app, `POST /v1/guests/${guest.userId}/tokens`), 401, 'token-missing');
    assert.equal((await call(app, `GET /v1/guests/${guest.userId}/tokens`)).statusCode, 405);
  });

  await t.test('the newest twenty pairs of tokens live, even when requested at once', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => give(guest.userId)));
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]));
    assert.deepEqual(await living(), [
      { purpose: 'access', count: 20n },
      { purpose: 'page', count: 20n },
    ]);
    assert.equal(await me(guest.accessToken), 401);
    const last = (await give(guest.userId)).json()[0];
    assert.equal(await me(last.access_token), 200);
  });
});

test('the number of guests that an app makes a day is limited', async (t) => {
  const tested = await startTestService(t, { env: { GUESTS_PER_DAY: '5' } });
  const { app, createApp, service } = tested;
  const game = await createApp();
  const make = (token = game.serverKey) => call(app, 'POST /v1/new-guest', { token });

  await t.test('the daily limit of guests holds for concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => make()));
    assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 5);
    const refused = answers.filter(({ statusCode }) => statusCode !== 201);
    for (const answer of refused) {
      assertProblem(answer, 429, 'guest-limit');
      const seconds = Number(answer.headers['retry-after']);
      assert.ok(seconds >= 1 && seconds <= 86_400, `${seconds}`);
    }
    const [row] = await service.db.query<{ count: bigint }>('SELECT count(*) FROM users WHERE guest_of = $1', [
      game.id,
    ]);
    assert.equal(row?.count, 5n);
  });

  await t.test('the limit of guests is per app and per day', async () => {
    const other = await createApp();
    assert.equal((await make(other.serverKey)).statusCode, 201);
    await letDayPass(service.db, game.id);
    assert.equal((await make()).statusCode, 201);
  });
});
