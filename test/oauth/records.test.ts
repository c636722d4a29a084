import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetOldRecords, hashId } from '../../src/oauth/records.ts';
import { endSessionsOf, findSession } from '../../src/oauth/sessions.ts';
import type { LogEntry } from '../../src/service/service.ts';
import { sessionCookieName } from '../../src/web/session-cookie.ts';
import { hiddenFields } from '../kit/service/oauth-browser.ts';
import { authorizeUrl, CALLBACK, redemption, refreshing, startWorld } from '../kit/service/oauth-world.ts';
import { until } from '../kit/unit/until.ts';
import { expireRecords } from '../rows/oauth.ts';
import { closeUserAlone } from '../rows/users.ts';

test('stored sessions, codes and tokens', async (t) => {
  const entries: LogEntry[] = [];
  const note = (entry: LogEntry) => void entries.push(entry);
  const world = await startWorld(t, { log: { info: note, warn: note, error: note } });
  const { db, publicUrl } = world.service;
  const client = await world.createClient();
  const me = async (token: string) => {
    const answer = await fetch(`${world.origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, code: ((await answer.json()) as { code?: string }).code };
  };

  await t.test('no usable credential is in the database or in the log', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    const page = await browser.arrive(authorizeUrl(world.origin, client));
    const uid = page.url.split('/').at(-1)!;
    const sent = await browser.visit(page.url, { ...hiddenFields(page), decision: 'allow' });
    const interactions = JSON.stringify(await db.query('SELECT * FROM oauth_records'));
    assert.ok(!interactions.includes(browser.cookie(sessionCookieName(publicUrl))!));
    assert.ok(interactions.includes(hashId(uid).toJSON().data.join(',')));

    const done = await browser.visit(sent.location!);
    const code = new URL(done.location!).searchParams.get('code')!;
    const { body } = await world.token(redemption(client, code));
    const next = await world.token(refreshing(client, body.refresh_token!));
    const secrets = {
      cookie: browser.cookie(sessionCookieName(publicUrl))!,
      code,
      secret: client.secret,
      access: body.access_token!,
      refresh: body.refresh_token!,
      nextAccess: next.body.access_token!,
      nextRefresh: next.body.refresh_token!,
    };
    for (const table of ['oauth_records', 'app_keys', 'consents', 'users']) {
      const [row] = await db.query<{ text: string }>(
        `SELECT coalesce(string_agg(x::text, ' '), '') AS text FROM ${table} x`,
      );
      for (const [name, value] of Object.entries(secrets)) assert.ok(!row!.text.includes(value), `${name} in ${table}`);
    }
    const log = JSON.stringify(entries);
    for (const [name, value] of Object.entries(secrets)) assert.ok(!log.includes(value), `${name} in the log`);
  });

  await t.test('the provider uses the session that the sign-in made', async () => {
    const browser = await world.browser(await world.createUser());
    const cookie = browser.cookie(sessionCookieName(publicUrl))!;
    await world.authorize(browser, client);
    assert.equal(browser.cookie(sessionCookieName(publicUrl)), cookie);
    const session = await findSession(db, cookie, 60);
    assert.deepEqual(session?.methods, ['pwd']);
  });

  await t.test('a request under way does not bring back an ended session', async () => {
    for (let round = 0; round < 5; round++) {
      const userId = await world.createUser();
      const browser = await world.browser(userId);
      await world.authorize(browser, client);
      const asking = [1, 2, 3].map(() => browser.visit(authorizeUrl(world.origin, client)));
      await Promise.all([...asking, endSessionsOf(db, userId)]);
      const left = await db.query(`SELECT 1 FROM oauth_records WHERE model = 'Session' AND user_id = $1`, [userId]);
      assert.equal(left.length, 0);
    }
  });

  await t.test('signing out keeps games’ tokens, and closing the account revokes them', async () => {
    const { userId, ...tokens } = await world.tokens(client);
    await endSessionsOf(db, userId);
    assert.equal((await me(tokens.access_token)).status, 200);
    assert.equal((await world.token(refreshing(client, tokens.refresh_token))).status, 200);

    await closeUserAlone(db, userId);
    const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
    assert.equal((await fetch(`${world.origin}/oauth/userinfo`, bearer)).status, 401);
    const asked = { client_id: client.id, client_secret: client.secret, token: tokens.access_token };
    assert.deepEqual((await world.token(asked, { path: '/oauth/introspect' })).body, { active: false });
    assert.equal((await world.token(refreshing(client, tokens.refresh_token))).body.error, 'invalid_grant');
  });

  await t.test('a guest’s tokens are not accepted by the OAuth endpoints', async () => {
    const app = await world.createApp();
    const guest = await world.createGuest(app);
    assert.equal((await me(guest.accessToken)).status, 200);
    for (const token of [guest.accessToken, guest.pageToken, app.serverKey]) {
      const bearer = { headers: { authorization: `Bearer ${token}` } };
      assert.equal((await fetch(`${world.origin}/oauth/userinfo`, bearer)).status, 401);
      const asked = { client_id: client.id, client_secret: client.secret, token };
      const answer = await world.token(asked, { path: '/oauth/introspect' });
      assert.notEqual(answer.body.active, true);
    }
    assert.equal((await world.token(refreshing(client, guest.accessToken))).body.error, 'invalid_grant');
  });

  await t.test('old records are deleted, expired access tokens after thirty days', async () => {
    const { userId } = await world.tokens(client);
    await expireRecords(db, { userId }, '29 days');
    const models = async () =>
      (await db.query<{ model: string }>('SELECT model FROM oauth_records WHERE user_id = $1', [userId])).map(
        (row) => row.model,
      );
    await until('the jobs have deleted them', async () => {
      await forgetOldRecords(db, 1000);
      return (await models()).join() === 'AccessToken';
    });
    await expireRecords(db, { userId }, '31 days');
    await until('all are forgotten', async () => {
      await forgetOldRecords(db, 1000);
      return (await models()).length === 0;
    });
  });
});

test('behind https, cookies are Secure and the session cookie has the __Host- prefix', async (t) => {
  const world = await startWorld(t, { publicUrl: 'https://quarters.example' });
  const client = await world.createClient();
  const url = authorizeUrl('', client);
  const begun = await world.app.inject({ url, headers: { host: 'quarters.example' } });
  const cookies = [begun.headers['set-cookie'] ?? []].flat();
  assert.equal(cookies.length, 2);
  for (const cookie of cookies)
    assert.match(
      cookie,
      /^quarters_interaction(_resume)?=[\w-]+; path=\/oauth\/(interaction|authorize)\/.*; secure; httponly/i,
    );
  assert.match(String(begun.headers.location), /^\/oauth\/interaction\//);
  const browser = await world.browser(await world.createUser());
  const cookie = `__Host-quarters=${browser.cookie('__Host-quarters')}`;
  const seen = await world.app.inject({ url, headers: { host: 'quarters.example', cookie } });
  const session = [seen.headers['set-cookie'] ?? []].flat().find((text) => text.startsWith('__Host-'));
  assert.match(session!, /; path=\/;.* secure; httponly/i);
  assert.doesNotMatch(session!, /domain/i);
  const discovery = await world.app.inject({ url: '/.well-known/openid-configuration' });
  assert.equal(discovery.json<{ issuer: string }>().issuer, 'https://quarters.example');
  assert.equal(discovery.json<{ token_endpoint: string }>().token_endpoint, 'https://quarters.example/oauth/token');
  assert.ok(CALLBACK);
});
