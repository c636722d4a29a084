import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashId } from '../../src/oauth/records.ts';
import { refreshing, sharedWorld } from '../kit/service/oauth-world.ts';
import { changeRecords } from '../rows/oauth.ts';
import { earlier } from '../rows/times.ts';

test('refresh tokens', async (t) => {
  const world = await sharedWorld(t);
  const { db } = world.service;
  const client = await world.createClient();
  const refresh = (token: string, more: Record<string, string> = {}) =>
    world.token({ ...refreshing(client, token), ...more });
  const me = async (token: string) => {
    const answer = await fetch(`${world.origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, code: ((await answer.json()) as { code?: string }).code };
  };
  const age = (token: string, column: 'consumedAt' | 'expiresAt', by: string) =>
    changeRecords(db, { hash: hashId(token) }, { [column]: earlier(column, by) });

  await t.test('a refresh repeated soon, even at once, returns the same new tokens', async () => {
    const first = await world.tokens(client);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => refresh(first.refresh_token)));
    answers.push(await refresh(first.refresh_token));
    for (const { status, body } of answers) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.access_token, answers[0]!.body.access_token);
      assert.equal(body.refresh_token, answers[0]!.body.refresh_token);
    }
    const { access_token, refresh_token } = answers[0]!.body;
    assert.notEqual(refresh_token, first.refresh_token);
    assert.equal((await me(access_token!)).status, 200);
    assert.equal((await me(first.access_token)).status, 200);
    const next = await refresh(refresh_token!);
    assert.equal(next.status, 200);
    assert.notEqual(next.body.refresh_token, refresh_token);
    // The first is still in its time of grace, and its successors are what they were.
    assert.equal((await refresh(first.refresh_token)).body.refresh_token, refresh_token);
  });

  await t.test('a refresh token reused later revokes its whole family, and no other', async () => {
    const others = await world.tokens(client);
    const first = await world.tokens(client);
    const { body: second } = await refresh(first.refresh_token);
    await age(first.refresh_token, 'consumedAt', '31 seconds');
    assert.deepEqual((await refresh(first.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await refresh(second.refresh_token!)).body.error, 'invalid_grant');
    for (const token of [first.access_token, second.access_token!]) {
      assert.deepEqual(await me(token), { status: 401, code: 'token-invalid' });
    }
    assert.equal((await me(others.access_token)).status, 200);
    assert.equal((await refresh(others.refresh_token)).status, 200);
  });

  await t.test('a refresh may narrow the scope, and widening it is refused', async () => {
    const first = await world.tokens(client, { scope: 'openid profile wallet' });
    const less = await refresh(first.refresh_token, { scope: 'wallet' });
    const all = await refresh(first.refresh_token);
    assert.deepEqual([less.body.scope, all.body.scope], ['wallet', 'openid profile wallet']);
    assert.notEqual(less.body.access_token, all.body.access_token);
    assert.equal((await refresh(first.refresh_token, { scope: 'wallet requests' })).body.error, 'invalid_scope');
  });

  await t.test('each refresh token and its grant live for 180 days', async () => {
    const first = await world.tokens(client);
    await changeRecords(db, { userId: first.userId }, { expiresAt: earlier('expiresAt', '179 days') });
    const { status, body } = await refresh(first.refresh_token);
    assert.equal(status, 200);
    const rows = await db.query<{ model: string; days: number }>(
      `SELECT model, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM oauth_records
       WHERE user_id = $1 AND model <> 'Session' AND (model = 'Grant' OR hash = $2) ORDER BY model`,
      [first.userId, hashId(body.refresh_token!)],
    );
    assert.deepEqual(rows, [
      { model: 'Grant', days: 180 },
      { model: 'RefreshToken', days: 180 },
    ]);
    await age(body.refresh_token!, 'expiresAt', '181 days');
    assert.equal((await refresh(body.refresh_token!)).body.error, 'invalid_grant');
  });

  await t.test('an expired access token is told apart from an unknown one, for thirty days', async () => {
    const first = await world.tokens(client);
    await age(first.access_token, 'expiresAt', '1 hour');
    assert.deepEqual(await me(first.access_token), { status: 401, code: 'token-expired' });
    assert.deepEqual(await me(`${first.access_token}x`), { status: 401, code: 'token-invalid' });
    assert.equal((await refresh(first.refresh_token)).status, 200);
  });
});
