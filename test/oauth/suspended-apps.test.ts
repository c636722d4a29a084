import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl, CALLBACK, redemption, refreshing, sharedWorld } from '../kit/service/oauth-world.ts';
import { resume, suspend } from '../kit/service/stopping.ts';

test('a suspended app gets nothing by OAuth, and all of it again once it is resumed', async (t) => {
  const world = await sharedWorld(t);
  const { service, origin } = world;
  const client = await world.createClient({ name: 'Chess Royale', frameAncestors: ['https://game.example'] });
  const { id: client_id, secret: client_secret } = client;
  const userId = await world.createUser();
  const browser = await world.browser(userId);
  const code = (await world.authorize(browser, client)).get('code')!;
  const tokens = await world.tokens(client);
  // A player has been asked for consent when the operator suspends the app.
  const asked = await world.browser(await world.createUser());
  const consent = await asked.arrive(authorizeUrl(origin, client));
  assert.equal(consent.status, 200);
  const post = (path: string, token: string) =>
    fetch(origin + path, { method: 'POST', body: new URLSearchParams({ client_id, client_secret, token }) });
  await suspend(service, client.id);

  await t.test('neither a code nor a refresh token is redeemed', async () => {
    for (const body of [redemption(client, code), refreshing(client, tokens.refresh_token)]) {
      const answer = await world.token(body);
      assert.deepEqual(
        [answer.status, answer.body.error, answer.body.error_description],
        [400, 'unauthorized_client', 'the app is suspended'],
      );
    }
  });
  await t.test('it learns nothing of its tokens, and may revoke them', async () => {
    assert.equal((await post('/oauth/introspect', tokens.access_token)).status, 400);
    const me = await fetch(`${origin}/oauth/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    assert.equal(me.ok, false);
    assert.equal((await post('/oauth/revoke', 'an unknown token')).status, 200);
  });
  await t.test('a player who is sent to sign in reads that the game is suspended, framed or not', async () => {
    const address = authorizeUrl(origin, client);
    const framed = await fetch(`${address}&frame_id=1`, { headers: { 'sec-fetch-dest': 'iframe' } });
    const pages = [await browser.arrive(address), { status: framed.status, body: await framed.text() }];
    for (const { status, body } of pages) {
      assert.equal(status, 403);
      assert.match(body, /This game is suspended/);
      assert.match(body, /&quot;reason&quot;:&quot;app-suspended&quot;/);
      assert.doesNotMatch(body, new RegExp(CALLBACK));
    }
  });
  await t.test('a consent that was asked for before cannot be given', async () => {
    const answer = await asked.answer(consent, 'allow');
    assert.equal(answer.status, 403);
    assert.match(answer.body, /This game is suspended/);
    const [given] = await service.db.query('SELECT FROM consents WHERE app_id = $1 AND user_id <> ALL($2)', [
      client.id,
      [userId, tokens.userId],
    ]);
    assert.equal(given, undefined);
  });
  await t.test('once it is resumed, its tokens work and the consent can be given', async () => {
    await resume(service, client.id);
    const renewed = await world.token(refreshing(client, tokens.refresh_token));
    assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
    assert.equal((await asked.answer(consent, 'allow')).status, 303);
  });
});
